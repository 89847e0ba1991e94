//! What a server shall be like, from JSON.

use crate::{
    objects::{Object, Objects},
    request::Request,
};
use posthouse_testkit::{Binary, Certs, NatsServer, ServerBuilder};

const KNOWN: [&str; 16] = [
    "binary",
    "certs",
    "config",
    "creds",
    "handshake_first",
    "identity",
    "max_payload",
    "mutual",
    "name",
    "nkey",
    "port",
    "token",
    "users",
    "verbose",
    "websocket",
    "websocket_tls",
];

/// The settings that an object of JSON says; `certs` and `creds` are numbers of objects.
pub fn settings(request: &Request, objects: &Objects) -> Result<ServerBuilder, String> {
    request.only(&KNOWN)?;
    let mut builder = NatsServer::builder().binary(match request.optional_text("binary") {
        None | Some("oldest") => Binary::System,
        Some("current") => Binary::Current,
        Some(other) => return Err(format!("`binary` is oldest or current, not {other:?}")),
    });
    if let Some(port) = request.optional_number("port") {
        builder = builder.port(port);
    }
    if let Some(name) = request.optional_text("name") {
        builder = builder.name(name);
    }
    if let Some(token) = request.optional_text("token") {
        builder = builder.token(token);
    }
    for user in request.list("users") {
        user.only(&["user", "password", "permissions"])?;
        let permissions = user.optional_text("permissions").unwrap_or_default();
        builder = builder.user_with(user.text("user")?, user.text("password")?, permissions);
    }
    if let Some(key) = request.optional_text("nkey") {
        builder = builder.nkey(key);
    }
    if let Some(id) = request.optional_number("creds") {
        let Object::Creds(creds) = objects.get(id)? else {
            return Err(format!("the object {id} is no creds"));
        };
        builder = builder.creds(creds);
    }
    if let Some(id) = request.optional_number("certs") {
        let Object::Certs(certs) = objects.get(id)? else {
            return Err(format!("the object {id} is no certs"));
        };
        builder = with_tls(builder, request, certs)?;
    }
    if request.flag("websocket") {
        builder = builder.websocket();
    }
    if let Some(bytes) = request.optional_number("max_payload") {
        builder = builder.max_payload(bytes);
    }
    if request.flag("verbose") {
        builder = builder.verbose();
    }
    Ok(builder.config(request.optional_text("config").unwrap_or_default()))
}

fn with_tls(
    builder: ServerBuilder,
    request: &Request,
    certs: &Certs,
) -> Result<ServerBuilder, String> {
    if request.flag("websocket_tls") {
        return Ok(builder.websocket_tls(certs));
    }
    let builder = match request.optional_text("identity") {
        None | Some("server") if request.flag("mutual") => builder.mutual_tls(certs),
        None | Some("server") => builder.tls(certs),
        Some("other_host") => builder.tls_as(&certs.other_host, certs),
        Some(other) => return Err(format!("`identity` is server or other_host, not {other:?}")),
    };
    Ok(if request.flag("handshake_first") { builder.tls_first() } else { builder })
}
