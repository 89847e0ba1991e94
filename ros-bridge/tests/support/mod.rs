//! Real parts to test against: a roscore, rospy nodes, ROS's own generator.
#![allow(dead_code)]

use posthouse_ros_bridge::ros::ros1::{
    Node, Settings,
    xmlrpc::{Answered, Value, read_response, write_call},
};
use serde_json::{Value as Json, json};
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

/// Long enough for anything on a busy machine.
pub const LONG: Duration = Duration::from_secs(60);

pub const PYTHON: &str = "/usr/bin/python3";

pub fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where the packages of the tests are.
pub fn packages() -> PathBuf {
    here().join("tests/packages")
}

/// A Python program that answers a JSON line with a JSON line.
pub struct Agent {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Agent {
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 and ROS's Python packages; `scripts/setup ros` installs them");
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    pub fn ask(&mut self, request: &Json) -> Json {
        self.try_ask(request).unwrap_or_else(|error| panic!("{request}: {error}"))
    }

    pub fn try_ask(&mut self, request: &Json) -> Result<Json, String> {
        writeln!(self.input, "{request}").unwrap();
        self.input.flush().unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let mut answer: Json =
            serde_json::from_str(&line).map_err(|error| format!("{error} in {line:?}"))?;
        match answer.get("error") {
            Some(error) => Err(error.as_str().unwrap_or_default().to_owned()),
            None => Ok(answer["ok"].take()),
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What ROS's own generator says.
pub fn oracle() -> Agent {
    Agent::start(Command::new(PYTHON).arg(here().join("tests/peers/oracle.py")))
}

/// A roscore on a port of its own.
pub struct Roscore {
    pub port: u16,
    home: PathBuf,
    child: Option<Child>,
}

impl Roscore {
    pub fn start() -> Self {
        let mut core = Self::absent();
        core.run();
        core
    }

    /// One that does not run yet.
    pub fn absent() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let home =
            std::env::temp_dir().join(format!("posthouse-ros-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&home).unwrap();
        // Free now; nobody else asks for this one in particular.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Self { port, home, child: None }
    }

    pub fn uri(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    /// A command with the environment that leads to this master.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env("ROS_MASTER_URI", self.uri())
            .env("ROS_IP", "127.0.0.1")
            .env_remove("ROS_HOSTNAME")
            .env_remove("ROS_NAMESPACE")
            .env("ROS_HOME", &self.home)
            .env("ROS_LOG_DIR", &self.home)
            .env("ROS_PACKAGE_PATH", packages());
        command
    }

    pub fn run(&mut self) {
        assert!(self.child.is_none());
        let mut child = self
            .command("roscore")
            .args(["-p", &self.port.to_string()])
            .env("PYTHONUNBUFFERED", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("roscore; `scripts/setup ros` installs it");
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
        self.child = Some(child);
        // Until it has said so, and its rosout subscribes, they do not end by SIGINT and are waited for in vain.
        let started = said.any(|line| line.is_ok_and(|line| line.contains("started core service")));
        assert!(started, "roscore ended");
        std::thread::spawn(move || said.for_each(drop));
        wait_for("rosout", || self.state().contains(r#"["/rosout",["/rosout"]]"#));
    }

    /// Asks the master; the value of a success.
    pub fn call(&self, method: &str, params: &[&str]) -> Option<Value> {
        let mut all = vec![Value::from("/test")];
        all.extend(params.iter().map(|text| Value::from(*text)));
        match http_call(self.port, method, &all)? {
            Value::Array(triple) if triple.first() == Some(&Value::Int(1)) => {
                triple.into_iter().nth(2)
            }
            _ => None,
        }
    }

    /// Everything that the master knows, as a text to look into.
    pub fn state(&self) -> String {
        self.call("getSystemState", &[])
            .map(|state| state.to_json().to_string())
            .unwrap_or_default()
    }

    pub fn stop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        signal(child.id(), "INT");
        let _ = child.wait();
    }

    /// A rospy node.
    pub fn peer(&self, name: &str) -> Agent {
        let script = here().join("tests/peers/peer.py");
        let errors = std::fs::File::create(self.home.join(format!("{name}.err"))).unwrap();
        Agent::start(self.command(PYTHON).arg(script).arg(name).stderr(errors))
    }

    /// What a node of ours has to know.
    pub fn settings(&self, name: &str, arguments: &[&str]) -> Settings {
        let uri = self.uri();
        let arguments = arguments.iter().map(ToString::to_string);
        let path = packages().display().to_string();
        let variable = |variable: &str| match variable {
            "ROS_MASTER_URI" => Some(uri.clone()),
            "ROS_IP" => Some("127.0.0.1".to_owned()),
            "ROS_PACKAGE_PATH" => Some(path.clone()),
            _ => None,
        };
        Settings::read(name, arguments, variable).unwrap().0
    }

    pub async fn node(&self, name: &str) -> Node {
        Node::start(self.settings(name, &[])).await.unwrap()
    }
}

impl Drop for Roscore {
    fn drop(&mut self) {
        self.stop();
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

/// Calls a method at a port of this machine.
pub fn http_call(port: u16, method: &str, params: &[Value]) -> Option<Value> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(LONG)).ok()?;
    let body = write_call(method, params);
    write!(
        stream,
        "POST /RPC2 HTTP/1.0\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    match read_response(answer.split_once("\r\n\r\n")?.1) {
        Ok(Answered::Value(value)) => Some(value),
        _ => None,
    }
}

pub fn signal(pid: u32, name: &str) {
    let _ = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status();
}

/// Asks again and again until it is so.
pub fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < LONG, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The same without blocking the tasks of the test.
pub async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < LONG, "waited too long for {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The encoded std_msgs/String.
pub fn text(text: &str) -> Vec<u8> {
    let mut out = (text.len() as u32).to_le_bytes().to_vec();
    out.extend_from_slice(text.as_bytes());
    out
}

/// The text of an encoded std_msgs/String.
pub fn text_of(body: &[u8]) -> String {
    String::from_utf8(body[4..].to_vec()).unwrap()
}

pub fn base64(bytes: &[u8]) -> Json {
    json!(data_encoding::BASE64.encode(bytes))
}

pub fn bytes(text: &Json) -> Vec<u8> {
    data_encoding::BASE64.decode(text.as_str().unwrap().as_bytes()).unwrap()
}
