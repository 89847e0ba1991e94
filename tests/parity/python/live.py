"""Looks up every call of the table in the installed package, in both faces.

Prints one JSON object a fault: the platform, the case, what is wrong.
"""

from __future__ import annotations

import ast
import inspect
import json
import pathlib
import sys
from typing import Any

import posthouse
import posthouse.sync
from posthouse import _pending, _watch
from posthouse._options import HubOptions, Messaging, Selection, Tls
from posthouse.sync import _watch as _sync_watch

TABLE = json.loads((pathlib.Path(__file__).parents[1] / "uses.json").read_text("utf-8"))
NOWHERE = {"servers": "nats://127.0.0.1:1", "node": False}


class MissingError(Exception):
    """A call of the table that the package does not have, or has in another way."""


class Face:
    """One face of the package: what the names in calls stand for."""

    def __init__(self, platform: str, module: Any) -> None:
        self.platform = platform
        self.module = module
        self.blocking = module is posthouse.sync
        self.hub = module.Hub("parity", **NOWHERE)
        headers = posthouse.Headers([("x-tag", "a")])
        watch = _sync_watch.Watch if self.blocking else _watch.VariableWatch
        self.roots: dict[str, Any] = {
            "Hub": module.Hub,
            "Headers": module.Headers,
            "ErrorCode": module.ErrorCode,
            "__version__": module.__version__,
            "hub": self.hub,
            "variable": self.hub.var("parity"),
            "subscription": module.Subscription,
            "watch": watch,
            "context": module.Context,
            "handle_context": module.HandleContext,
            "headers": headers,
            "error": module.PosthouseError("TIMEOUT", "late", 1, 2),
            "message_error": module.MessageError("TIMEOUT", "late"),
            "reply": module.Reply(None, headers),
            "many": module.ManyResult([], "deadline"),
            "request": _pending.Pending,
        }
        self.named: dict[str, set[str]] = {}

    def check(self, use: dict[str, Any]) -> None:
        source = use["call"].removeprefix("await ")
        if self.blocking:
            source = source.removeprefix("async ")
        if source.split()[0] in {"async", "for", "with"}:
            source += ": ..."
        node = ast.parse(source).body[0]
        # Within another form a call is not the operation itself.
        self.node(node, use if isinstance(node, ast.Expr) else {**use, "takes": None})

    def node(self, node: ast.AST, use: dict[str, Any]) -> None:
        if isinstance(node, ast.Expr):
            self.node(node.value, use)
        elif isinstance(node, ast.Assign):
            self.node(node.targets[0], use)
            self.node(node.value, use)
        elif isinstance(node, ast.Delete):
            self.member(node.targets[0].value, "__delitem__")
        elif isinstance(node, ast.Subscript):
            storing = isinstance(node.ctx, ast.Store)
            self.member(node.value, "__setitem__" if storing else "__getitem__")
        elif isinstance(node, ast.List):
            for element in node.elts:
                self.node(element.value if isinstance(element, ast.Starred) else element, use)
        elif isinstance(node, ast.Compare):
            self.member(node.comparators[0], "__contains__")
        elif isinstance(node, ast.AsyncFor):
            self.member(node.iter, "__aiter__")
        elif isinstance(node, ast.For):
            self.member(node.iter, "__iter__")
        elif isinstance(node, ast.AsyncWith):
            self.member(node.items[0].context_expr, "__aenter__")
            self.member(node.items[0].context_expr, "__aexit__")
        elif isinstance(node, ast.With):
            self.member(node.items[0].context_expr, "__enter__")
            self.member(node.items[0].context_expr, "__exit__")
        elif isinstance(node, ast.Call):
            self.call(node, use)
        elif isinstance(node, ast.Attribute):
            self.member(node.value, node.attr)
        elif isinstance(node, ast.Name):
            if node.id not in self.roots and node.id != "text":
                raise MissingError(f"there is no {node.id}")
        else:
            raise MissingError(f"{type(node).__name__} is no form of a call that the check knows")

    def find(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Name):
            if node.id not in self.roots:
                raise MissingError(f"nothing says what {node.id} is")
            return self.roots[node.id]
        if isinstance(node, ast.Attribute):
            return self.member(node.value, node.attr)
        raise MissingError(f"{ast.unparse(node)} is no form of an object that the check knows")

    def member(self, owner: ast.AST, name: str) -> Any:
        found = self.find(owner)
        self.named.setdefault(ast.unparse(owner), set()).add(name)
        try:
            return getattr(found, name)
        except AttributeError:
            if inspect.isclass(found) and f"self.{name}" in inspect.getsource(found.__init__):
                # An object gets it when it is made.
                return None
            raise MissingError(f"{ast.unparse(owner)} has no {name}") from None

    def call(self, node: ast.Call, use: dict[str, Any]) -> None:
        if isinstance(node.func, ast.Name) and node.func.id == "len":
            self.member(node.args[0], "__len__")
            return
        called = self.find(node.func)
        if isinstance(node.func, ast.Name):
            self.named.setdefault(node.func.id, set()).add("__call__")
        if inspect.isclass(called) and isinstance(node.func, ast.Name) and node.func.id == "watch":
            called = called.__call__
        if not callable(called):
            raise MissingError(f"{ast.unparse(node.func)} is not to be called")
        if not (getattr(called, "__module__", None) or "").startswith("posthouse"):
            return
        signature = inspect.signature(called)
        parameters = {
            name: parameter
            for name, parameter in signature.parameters.items()
            if name != "self" and parameter.kind is not parameter.VAR_KEYWORD
        }
        bound = signature.replace(parameters=list(signature.parameters.values()))
        owner = [None] if "self" in signature.parameters else []
        try:
            keywords = {keyword.arg: None for keyword in node.keywords if keyword.arg}
            bound.bind(*owner, *[None for _ in node.args], **keywords)
        except TypeError as error:
            raise MissingError(f"it cannot be called so: {error}; it is {signature}") from None
        if use.get("takes") is not None and not self.inherited(node.func):
            self.compare(use, parameters)

    def inherited(self, function: ast.AST) -> bool:
        """Whether a method's shape is that of a class of Python's."""
        if not isinstance(function, ast.Attribute):
            return False
        owner = self.find(function.value)
        kinds = (owner if inspect.isclass(owner) else type(owner)).__mro__
        theirs = [kind for kind in kinds if not kind.__module__.startswith("posthouse")]
        return any(function.attr in vars(kind) for kind in theirs)

    def compare(self, use: dict[str, Any], parameters: dict[str, inspect.Parameter]) -> None:
        wanted = {one["name"]: one["required"] for one in use["takes"]}
        if use["group"] == "hub":
            # They come as keywords; `options` compares them.
            wanted = {name: wanted[name] for name in wanted if name == "namespace"}
        found = {name: one.default is one.empty for name, one in parameters.items()}
        if set(wanted) != set(found):
            raise MissingError(f"its parameters are {sorted(found)}, the table's {sorted(wanted)}")
        for name, required in wanted.items():
            if required is not found[name]:
                raise MissingError(f"{name} is {'required' if found[name] else 'optional'} here")
            default = parameters[name].default
            # Defaults are the core's: what is left out is not given.
            if not required and default not in (None, False, posthouse.UNSET, ()):
                raise MissingError(f"{name} has a default of its own: {default!r}")

    def members(self) -> list[str]:
        """What is public and no call of the table names."""
        kinds = {
            "hub": self.module.Hub,
            "variable": self.module.Variable,
            "subscription": self.module.Subscription,
            "hub.instances": self.module.Instances,
            "watch": self.roots["watch"],
            "context": self.module.Context,
            "handle_context": self.module.HandleContext,
            "headers": self.module.Headers,
            "error": self.module.PosthouseError,
            "message_error": self.module.MessageError,
        }
        unknown = []
        for name, kind in kinds.items():
            own = [base for base in kind.__mro__ if base.__module__.startswith("posthouse")]
            public = {member for base in own for member in vars(base) if member[0] != "_"}
            named = self.named.get(name, set())
            if name == "message_error":
                named = named | self.named.get("error", set())
            unknown += [f"{name}.{member}" for member in sorted(public - named)]
        return unknown

    def options(self, group: dict[str, Any]) -> None:
        types = {"hub": HubOptions, "tls": Tls, "selection": Selection, "messaging": Messaging}
        kind = types.get(group["group"])
        if kind is None:
            # Parameters of operations, compared there.
            return
        declared = set(kind.__annotations__)
        if declared != set(group["python"]):
            wanted = sorted(group["python"])
            raise MissingError(f"the types say {sorted(declared)}, the table {wanted}")
        for name in group["python"]:
            given = {name: 1} if kind is HubOptions else {group["group"]: {name: 1}}
            try:
                self.finish(self.module.Hub("parity", **{**NOWHERE, **given}))
            except posthouse.PosthouseError as error:
                if "there is no option" in error.message:
                    raise MissingError(error.message) from None

    def finish(self, hub: Any) -> None:
        # Outside a loop the asyncio face cannot wait for the end; the core ends it all the same.
        hub._core.close()


def main() -> None:
    faults: list[tuple[str, str, str]] = []
    for platform, module in (("python", posthouse), ("python-sync", posthouse.sync)):
        face = Face(platform, module)
        for use in TABLE["python"]:
            if platform in use["absent"]:
                continue
            try:
                face.check(use)
            except MissingError as fault:
                faults.append((platform, use["case"], f"{use['call']}: {fault}"))
        for group in TABLE["options"]:
            try:
                face.options(group)
            except MissingError as fault:
                faults.append((platform, group["case"], str(fault)))
        codes = TABLE["codes"]
        for name in codes["names"]:
            if getattr(module.ErrorCode, name, None) != name:
                faults.append((platform, codes["case"], f"there is no ErrorCode.{name}"))
        for member in face.members():
            faults.append((platform, TABLE["beyond"], f"the table does not name {member}"))
        face.finish(face.hub)
    for platform, case, text in faults:
        print(json.dumps({"platform": platform, "case": case, "text": text}))
    sys.exit(0)


main()
