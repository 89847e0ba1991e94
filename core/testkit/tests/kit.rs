//! The kit itself: what other tests rely on has to hold.

use posthouse_testkit::{
    Binary, Certs, Cluster, Creds, Direction, FakeServer, NatsServer, NkeyUser, Proxy, until,
};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// Reads until `end` has come.
fn read_to(stream: &mut TcpStream, end: &str) -> String {
    let mut all = Vec::new();
    let mut chunk = [0; 4096];
    while !String::from_utf8_lossy(&all).contains(end) {
        let n = stream.read(&mut chunk).expect("reading from the server");
        assert!(n > 0, "closed before {end:?}: {}", String::from_utf8_lossy(&all));
        all.extend_from_slice(&chunk[..n]);
    }
    String::from_utf8(all).expect("text")
}

fn dial(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("connecting");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a read timeout");
    stream
}

/// INFO, CONNECT with these members, PING; the answer to it.
fn connect(port: u16, members: &str) -> String {
    let mut stream = dial(port);
    let info = read_to(&mut stream, "\r\n");
    assert!(info.starts_with("INFO {"), "{info}");
    write!(stream, "CONNECT {{\"verbose\":false{members}}}\r\nPING\r\n").expect("writing");
    read_to(&mut stream, "\r\n")
}

#[test]
fn a_server_answers_survives_restart_and_reload() {
    let mut server = NatsServer::builder().token("s3cret").jetstream().max_payload(4242).start();
    let port = server.port();
    assert!(read_to(&mut dial(port), "\r\n").contains("\"max_payload\":4242"));
    assert_eq!(connect(port, ",\"auth_token\":\"s3cret\""), "PONG\r\n");
    assert!(connect(port, "").contains("Authorization Violation"));
    assert_eq!(server.monitor("/varz")["max_payload"], 4242);

    server.kill();
    assert_eq!(
        TcpStream::connect(("127.0.0.1", port)).unwrap_err().kind(),
        ErrorKind::ConnectionRefused
    );
    server.restart();
    assert_eq!(server.port(), port);
    assert_eq!(connect(port, ",\"auth_token\":\"s3cret\""), "PONG\r\n");

    server.reload(|settings| settings.token("other"));
    assert!(connect(port, ",\"auth_token\":\"s3cret\"").contains("Authorization Violation"));
    assert_eq!(connect(port, ",\"auth_token\":\"other\""), "PONG\r\n");
}

#[test]
fn users_have_permissions() {
    let server = NatsServer::builder()
        .user("ann", "pw1")
        .user_with("bob", "pw2", "publish: { deny: \"a.>\" }")
        .start();
    let mut bob = dial(server.port());
    read_to(&mut bob, "\r\n");
    bob.write_all(b"CONNECT {\"verbose\":false,\"user\":\"bob\",\"pass\":\"pw2\"}\r\nSUB x 1\r\nPUB a.b 0\r\n\r\nPING\r\n")
        .expect("writing");
    assert!(read_to(&mut bob, "PONG").contains("Permissions Violation for Publish to \"a.b\""));
    assert_eq!(server.subscriptions(), ["x"]);
    assert_eq!(server.connections().len(), 1);
    assert_eq!(connect(server.port(), ",\"user\":\"ann\",\"pass\":\"pw1\""), "PONG\r\n");
}

#[test]
fn lame_duck_and_freeze() {
    let server = NatsServer::start();
    let mut client = dial(server.port());
    read_to(&mut client, "\r\n");
    client.write_all(b"CONNECT {\"verbose\":false,\"protocol\":1}\r\nPING\r\n").expect("writing");
    read_to(&mut client, "PONG\r\n");
    server.freeze();
    client.set_read_timeout(Some(Duration::from_millis(50))).expect("a read timeout");
    client.write_all(b"PING\r\n").expect("the kernel takes it");
    assert!(client.read(&mut [0; 16]).is_err(), "a frozen server answers nothing");
    server.thaw();
    client.set_read_timeout(Some(Duration::from_secs(20))).expect("a read timeout");
    read_to(&mut client, "PONG\r\n");
    server.lame_duck();
    assert!(read_to(&mut client, "\r\n").contains("\"ldm\":true"));
}

#[test]
fn a_cluster_carries_messages_across() {
    let cluster = Cluster::start(2, |_, settings| settings);
    let mut listener = dial(cluster[0].port());
    listener.write_all(b"CONNECT {\"verbose\":false}\r\nSUB news 1\r\nPING\r\n").expect("writing");
    read_to(&mut listener, "PONG\r\n");
    until("the interest has crossed the route", || {
        cluster[1].monitor("/routez?subs=1").to_string().contains("news")
    });
    let mut teller = dial(cluster[1].port());
    teller.write_all(b"CONNECT {\"verbose\":false}\r\nPUB news 2\r\nhi\r\n").expect("writing");
    assert!(read_to(&mut listener, "hi\r\n").contains("MSG news 1 2\r\nhi\r\n"));
}

#[test]
fn servers_start_with_every_kind_of_key() {
    let certs = Certs::generate();
    let creds = Creds::generate();
    let tls = NatsServer::builder().mutual_tls(&certs).websocket_tls(&certs).creds(&creds).start();
    let info = read_to(&mut dial(tls.port()), "\r\n");
    assert!(info.contains("\"tls_required\":true") && info.contains("\"nonce\""), "{info}");
    assert!(tls.wss_url().starts_with("wss://localhost:"));
    let user = creds.user("ann");
    assert!(std::fs::read_to_string(&user.file).expect("a creds file").contains(&user.seed));

    let nkey = NkeyUser::generate();
    let server = NatsServer::builder().nkey(&nkey.public_key).websocket().start();
    assert!(read_to(&mut dial(server.port()), "\r\n").contains("\"nonce\""));
    assert_ne!(server.websocket_port(), server.port());

    if Binary::Current.available() {
        let first = NatsServer::builder().binary(Binary::Current).tls(&certs).tls_first().start();
        let mut silent = dial(first.port());
        silent.set_read_timeout(Some(Duration::from_millis(100))).expect("a read timeout");
        assert!(silent.read(&mut [0; 16]).is_err(), "no INFO before TLS");
    }
}

/// A server that echoes, on a thread that ends with its one client.
fn echo() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut reader = stream.try_clone().expect("a second handle");
                let _ = std::io::copy(&mut reader, &mut &stream);
            });
        }
    });
    port
}

#[test]
fn a_proxy_pauses_holds_swallows_splits() {
    let proxy = Proxy::to_port(echo());
    proxy.record();
    let mut client = dial(proxy.port());
    client.write_all(b"one").expect("writing");
    assert_eq!(read_to(&mut client, "one"), "one");
    let quiet = |client: &mut TcpStream| {
        client.set_read_timeout(Some(Duration::from_millis(50))).expect("a read timeout");
        assert!(client.read(&mut [0; 16]).is_err(), "nothing may pass");
        client.set_read_timeout(Some(Duration::from_secs(20))).expect("a read timeout");
    };

    proxy.pause(Direction::ToServer);
    client.write_all(b"two").expect("writing");
    quiet(&mut client);
    assert_eq!(proxy.bytes(Direction::ToServer), 3);
    proxy.flow(Direction::ToServer);
    assert_eq!(read_to(&mut client, "two"), "two");

    proxy.hold(Direction::ToClient);
    client.write_all(b"three").expect("writing");
    until("the proxy holds the answer", || proxy.bytes(Direction::ToClient) == 11);
    quiet(&mut client);
    proxy.flow(Direction::ToClient);
    assert_eq!(read_to(&mut client, "three"), "three");

    proxy.swallow(Direction::ToServer);
    client.write_all(b"lost").expect("writing");
    until("the proxy has swallowed", || proxy.bytes(Direction::ToServer) == 15);
    proxy.flow(Direction::ToServer);
    proxy.split(Direction::Both, 1);
    client.write_all(b"four").expect("writing");
    assert_eq!(read_to(&mut client, "four"), "four");
    assert_eq!(proxy.seen(Direction::ToServer), b"onetwothreelostfour");
    assert_eq!(proxy.seen(Direction::ToClient), b"onetwothreefour");
}

#[test]
fn a_proxy_cuts_resets_refuses() {
    let proxy = Proxy::to_port(echo());
    let mut client = dial(proxy.port());
    client.write_all(b"x").expect("writing");
    read_to(&mut client, "x");
    proxy.cut();
    assert_eq!(client.read(&mut [0; 16]).expect("an orderly end"), 0);

    let mut client = dial(proxy.port());
    client.write_all(b"x").expect("writing");
    read_to(&mut client, "x");
    proxy.refuse();
    let refused = TcpStream::connect(("127.0.0.1", proxy.port())).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    client.write_all(b"y").expect("connected clients stay");
    read_to(&mut client, "y");
    proxy.reset();
    assert_eq!(client.read(&mut [0; 16]).unwrap_err().kind(), ErrorKind::ConnectionReset);

    proxy.allow();
    let mut client = dial(proxy.port());
    client.write_all(b"z").expect("writing");
    read_to(&mut client, "z");
    assert_eq!((proxy.accepted(), proxy.open()), (3, 1));
    drop(client);
    until("the proxy has seen the client go", || proxy.open() == 0);
}

#[tokio::test]
async fn a_fake_server_follows_its_script() {
    let server = FakeServer::start().await;
    let port = server.port();
    let client = std::thread::spawn(move || {
        let answer = connect(port, ",\"name\":\"x\"");
        assert_eq!(answer, "PONG\r\n");
    });
    let (mut connection, options) = server.accept_ready("\"nonce\":\"abc\"").await;
    assert_eq!(options, "{\"verbose\":false,\"name\":\"x\"}");
    connection.expect_end().await;
    client.join().expect("the client");
    assert!(connection.seen().starts_with(b"CONNECT "));
}
