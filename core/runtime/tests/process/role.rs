//! This test program as another process.
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

const ROLE: &str = "POSTHOUSE_TEST_ROLE";
/// What a role says to the test that started it, before the words themselves.
const SAYS: &str = "role says: ";

/// A process that plays a role until it is dropped, killed or told to end.
pub struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Process {
    /// Starts a role with this environment.
    pub fn start(role: &str, environment: &[(&str, &str)]) -> Self {
        let program = std::env::current_exe().expect("this program");
        let mut child = Command::new(program)
            .args(["--exact", "role::play", "--ignored", "--nocapture"])
            .env(ROLE, role)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starting this program");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, stdin, stdout }
    }

    /// What it says next.
    pub fn hears(&mut self) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            let count = self.stdout.read_line(&mut line).expect("reading");
            assert!(count > 0, "the role ended without a word");
            if let Some((_, said)) = line.split_once(SAYS) {
                return said.trim_end().to_owned();
            }
        }
    }

    /// Ends it as a crash would.
    pub fn kill(&mut self) {
        self.child.kill().expect("killing");
        self.child.wait().expect("its end");
    }

    /// Lets it end by itself; gives all that it wrote since then, and on the error output.
    pub fn finish(mut self) -> String {
        drop(self.stdin.take());
        let mut written = String::new();
        self.stdout.read_to_string(&mut written).expect("reading");
        let mut errors = self.child.stderr.take().expect("a pipe");
        errors.read_to_string(&mut written).expect("reading");
        assert!(self.child.wait().expect("its end").success(), "{written}");
        written
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Says something to the test that started this process.
pub fn say(words: &str) {
    println!("{SAYS}{words}");
    std::io::stdout().flush().expect("the other end");
}

/// Waits until the test lets this process end.
pub fn wait_for_the_end() {
    let mut nothing = String::new();
    let _ = std::io::stdin().read_to_string(&mut nothing);
}

/// Not a test of its own: what a process in a role does.
#[test]
#[ignore = "a role in other tests"]
fn play() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        match role.as_str() {
            "member" => crate::local_node::member().await,
            "environment" => crate::environment::role().await,
            "secrets" => crate::secrets::role().await,
            "fork" => crate::fork::role().await,
            other => panic!("no role {other}"),
        }
    });
}
