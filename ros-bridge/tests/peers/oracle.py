#!/usr/bin/env python3
"""What ROS's own generator and its Python messages say of types and messages.

Reads a JSON object a line, answers with one:
  {"do": "types", "folders": [...]}          every type below the folders, and those that Python has
  {"do": "make", "kind", "seed", "count"}    random messages: bytes, and the checksum
  {"do": "fill", "kind", "json"}             the bytes of the message that a JSON text describes
Types of services are "pkg/NameRequest" and "pkg/NameResponse"; their own checksums come with
"types".
"""

import base64
import importlib
import io
import json
import math
import os
import random
import struct
import sys

import genmsg
import genpy.dynamic
from genmsg import gentools, msg_loader, msgs

INSTALLED = "/usr/lib/python3/dist-packages"

search = {}
specs = {}
classes = {}
sums = {}


def find_packages(folders):
    found = []
    for folder in folders:
        for package in sorted(os.listdir(folder)):
            for extension in ("msg", "srv"):
                path = os.path.join(folder, package, extension)
                if not os.path.isdir(path):
                    continue
                if extension == "msg":
                    search.setdefault(package, []).append(path)
                for name in sorted(os.listdir(path)):
                    if name.endswith("." + extension):
                        found.append(
                            (package + "/" + name[:-4], extension, os.path.join(path, name))
                        )
    return found


def load(kind, spec, context):
    msg_loader.load_depends(context, spec, search)
    specs[kind] = (context, spec)


def load_types(folders):
    answer = []
    for kind, extension, path in find_packages(folders):
        context = genmsg.MsgContext.create_default()
        if extension == "msg":
            spec = msg_loader.load_msg_from_file(context, path, kind)
            load(kind, spec, context)
            sums[kind] = gentools.compute_md5(context, spec)
            answer.append(
                {"kind": kind, "service": False, "md5": sums[kind], "text": text_of(kind)}
            )
            continue
        spec = msg_loader.load_srv_from_file(context, path, kind)
        msg_loader.load_depends(context, spec, search)
        for part in (spec.request, spec.response):
            load(part.full_name, part, context)
            sums[part.full_name] = gentools.compute_md5(context, part)
        answer.append({"kind": kind, "service": True, "md5": gentools.compute_md5(context, spec)})
    return answer


def python_types():
    """Types that are installed as Python alone, without a definition on disk."""
    answer = []
    for entry in sorted(os.listdir(INSTALLED)):
        for extension in ("msg", "srv"):
            if not os.path.isfile(os.path.join(INSTALLED, entry, extension, "__init__.py")):
                continue
            module = importlib.import_module(entry + "." + extension)
            for name, cls in sorted(vars(module).items()):
                if not isinstance(cls, type) or not hasattr(cls, "_md5sum"):
                    continue
                kind = entry + "/" + name
                found = {"kind": kind, "service": extension == "srv", "md5": cls._md5sum}
                if extension == "msg" and kind not in sums:
                    sums[kind], classes[kind] = cls._md5sum, cls
                    answer.append(found | {"text": cls._full_text})
                elif hasattr(cls, "_request_class") and kind + "Request" not in sums:
                    parts = (cls._request_class, cls._response_class)
                    for part in parts:
                        sums[part._type], classes[part._type] = part._md5sum, part
                    answer.append(found | {"text": [part._full_text for part in parts]})
    return answer


def text_of(kind):
    context, spec = specs[kind]
    return gentools.compute_full_text(context, spec)


def class_of(kind):
    if kind not in classes:
        made = genpy.dynamic.generate_dynamic(kind, text_of(kind))
        for name, cls in made.items():
            classes.setdefault(name, cls)
        classes[kind] = made[kind]
        assert made[kind]._md5sum == sums[kind], kind
    return classes[kind]


RANGES = {
    "int8": (-(2**7), 2**7 - 1),
    "byte": (-(2**7), 2**7 - 1),
    "uint8": (0, 2**8 - 1),
    "char": (0, 2**8 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    # What every JSON reader holds.
    "int64": (-(2**53) + 1, 2**53 - 1),
    "uint64": (0, 2**53 - 1),
}
WORDS = ["", "a", "hello world", 'quote " and \\', "tab\tand\nline", "ümläut", "日本語", "🚀"]
WORDS += ["\x01\x1f\x7f", "x" * 300]
FLOATS = [0.0, 1.5, -2.25, 1e-7, 123456.789, 1e-30]


def scalar(kind, rng):
    if kind == "bool":
        return rng.random() < 0.5
    if kind in RANGES:
        low, high = RANGES[kind]
        return rng.choice([low, high, 0, 1, rng.randint(low, high), rng.randint(low, high)])
    if kind in ("float32", "float64"):
        value = rng.choice([*FLOATS, rng.uniform(-1, 1), rng.gauss(0, 1e6)])
        return struct.unpack("<f", struct.pack("<f", value))[0] if kind == "float32" else value
    if kind == "string":
        return rng.choice(WORDS)
    if kind == "time":
        return genpy.Time(rng.randint(0, 2**32 - 1), rng.randint(0, 999999999))
    if kind == "duration":
        return genpy.Duration(rng.randint(-(2**31), 2**31 - 1), rng.randint(0, 999999999))
    return None


def random_message(kind, rng, level=0):
    message = class_of(kind)()
    for name, field in zip(message.__slots__, message._slot_types, strict=True):
        base, is_array, length = msgs.parse_type(field)
        if not is_array:
            setattr(message, name, random_value(base, rng, level))
            continue
        if length is None:
            length = rng.choice([0, 1, 2, 5]) if level < 3 else rng.choice([0, 1])
        values = [random_value(base, rng, level) for _ in range(length)]
        if base in ("uint8", "char"):
            values = bytes(values)
        setattr(message, name, values)
    return message


def random_value(base, rng, level):
    if base in ("bool", "string", "time", "duration", "float32", "float64") or base in RANGES:
        return scalar(base, rng)
    return random_message(base, rng, level + 1)


def filled(kind, value):
    """A message out of what a JSON text says, every field by its name."""
    message = class_of(kind)()
    spec = specs.get(kind)
    # The slot of a name that is a word of Python is spelled another way.
    names = list(spec[1].names if spec else message.__slots__)
    assert sorted(names) == sorted(value), (kind, sorted(names), sorted(value))
    for slot, name, field in zip(message.__slots__, names, message._slot_types, strict=True):
        base, is_array, length = msgs.parse_type(field)
        given = value[name]
        if not is_array:
            made = filled_value(base, given)
        elif base in ("uint8", "char") and isinstance(given, str):
            made = base64.b64decode(given, validate=True)
        else:
            made = [filled_value(base, each) for each in given]
            if base in ("uint8", "char"):
                made = bytes(made)
        if is_array and length is not None:
            assert len(made) == length, (kind, name)
        setattr(message, slot, made)
    return message


def filled_value(base, given):
    if base == "time":
        assert sorted(given) == ["nsecs", "secs"]
        return genpy.Time(given["secs"], given["nsecs"])
    if base == "duration":
        assert sorted(given) == ["nsecs", "secs"]
        return genpy.Duration(given["secs"], given["nsecs"])
    if base in ("float32", "float64"):
        if given is None:
            return math.nan
        return float(given.replace("Infinity", "inf")) if isinstance(given, str) else float(given)
    if base == "bool":
        assert isinstance(given, bool)
        return given
    if base in RANGES:
        return int(given)
    if base == "string":
        return given
    return filled(base, given)


def encoded(message):
    out = io.BytesIO()
    message.serialize(out)
    return base64.b64encode(out.getvalue()).decode()


def answer(request):
    do = request["do"]
    if do == "types":
        return load_types(request["folders"]) + python_types()
    if do == "make":
        kind = request["kind"]
        rng = random.Random(f"{kind} {request['seed']}")
        made = [encoded(random_message(kind, rng)) for _ in range(request["count"])]
        return {"messages": made, "md5": class_of(kind)._md5sum}
    if do == "fill":
        return encoded(filled(request["kind"], json.loads(request["json"])))
    raise ValueError(do)


for line in sys.stdin:
    try:
        result = {"ok": answer(json.loads(line))}
    except Exception as error:  # the other side shows it
        result = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(result), flush=True)
