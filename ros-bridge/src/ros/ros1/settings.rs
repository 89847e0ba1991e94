//! What environment and arguments say about a node.
//!
//! Arguments are those that roslaunch and rosrun pass on: `name:=other` is a remap, `_name:=value` a private
//! parameter, `__name:=…` one of the special keys. All else is the program's own.
use super::{Names, xmlrpc::Peer};
use crate::ros::{Code, Error, Result};
use std::{env, fs, net::IpAddr, path::PathBuf};

/// A private parameter that an argument sets.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamArgument {
    /// Name without the `_`.
    pub name: String,
    /// The value: what of `true`, `false`, an integer, a float or a JSON list or object it reads as, else the text.
    pub value: serde_json::Value,
}

/// All that a node has to know before it starts.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its name, its namespace and the remaps.
    pub names: Names,
    /// The host that others reach this node by; `None`: found out by the way to the master.
    pub host: Option<String>,
    /// Private parameters to be set.
    pub params: Vec<ParamArgument>,
    /// The file that lines of log go to.
    pub log_file: Option<PathBuf>,
    /// Where message and service definitions are looked for before the places of installed packages.
    pub package_path: Vec<PathBuf>,
    pub(super) master: Peer,
}

impl Settings {
    /// From the environment of this process and its arguments (without the program's name). The second part is what of the
    /// arguments means nothing to ROS.
    pub fn from_process(
        default_name: &str,
        arguments: impl IntoIterator<Item = String>,
    ) -> Result<(Self, Vec<String>)> {
        Self::read(default_name, arguments, |name| env::var(name).ok())
    }

    /// The same with another environment.
    pub fn read(
        default_name: &str,
        arguments: impl IntoIterator<Item = String>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<(Self, Vec<String>)> {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let (mut remaps, mut params, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        let mut name = default_name.to_owned();
        let mut namespace = variable("ROS_NAMESPACE").unwrap_or_else(|| "/".to_owned());
        let mut master = variable("ROS_MASTER_URI").map(|uri| ("ROS_MASTER_URI", uri));
        let mut host = variable("ROS_HOSTNAME").or_else(|| variable("ROS_IP"));
        let mut log_file = None;
        for argument in arguments {
            let Some((left, right)) = argument.split_once(":=") else {
                rest.push(argument);
                continue;
            };
            match left {
                "__name" => right.clone_into(&mut name),
                "__ns" => right.clone_into(&mut namespace),
                "__log" => log_file = Some(PathBuf::from(right)),
                "__ip" | "__hostname" => host = Some(right.to_owned()),
                "__master" => master = Some(("__master", right.to_owned())),
                _ if left.starts_with("__") => rest.push(argument),
                _ => match left.strip_prefix('_') {
                    Some(param) => {
                        params.push(ParamArgument { name: param.to_owned(), value: value(right) });
                    }
                    None => remaps.push((left.to_owned(), right.to_owned())),
                },
            }
        }
        let (what, uri) = master.unwrap_or(("ROS_MASTER_URI", "http://localhost:11311".to_owned()));
        let master = Peer::parse("http", &uri).ok_or_else(|| {
            Error::new(
                Code::SettingInvalid,
                format!("{what} is {uri:?}; it must be as in http://localhost:11311"),
            )
        })?;
        let package_path = env::split_paths(&variable("ROS_PACKAGE_PATH").unwrap_or_default())
            .filter(|path| !path.as_os_str().is_empty())
            .collect();
        let names = Names::new(&namespace, &name, &remaps)?;
        Ok((Self { names, host, params, log_file, package_path, master }, rest))
    }

    /// The master's address (`http://host:port/`).
    pub fn master_uri(&self) -> String {
        format!("http://{}/", self.master)
    }

    /// The host by which others reach this node, and whether it is this machine alone that can.
    pub(super) fn advertised_host(&self) -> (String, bool) {
        let host = self.host.clone().unwrap_or_else(|| found_host(&self.master.host));
        let local = host == "localhost"
            || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        (host, local)
    }
}

/// This machine's name where others can be expected to know it, else the address on the way to the master.
fn found_host(master: &str) -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    let resolves = || std::net::ToSocketAddrs::to_socket_addrs(&(name, 0)).is_ok();
    if !name.is_empty() && name != "localhost" && resolves() {
        return name.to_owned();
    }
    // Nothing is sent: a datagram socket that is connected knows its own address.
    std::net::UdpSocket::bind("0.0.0.0:0")
        .and_then(|socket| socket.connect((master, 9)).and_then(|()| socket.local_addr()))
        .map_or_else(|_| "127.0.0.1".to_owned(), |address| address.ip().to_string())
}

/// What the value of a `_param:=value` reads as.
fn value(text: &str) -> serde_json::Value {
    match text {
        "True" | "true" => return true.into(),
        "False" | "false" => return false.into(),
        _ => {}
    }
    if let Ok(integer) = text.parse::<i32>() {
        return integer.into();
    }
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    if is_number && let Ok(float) = text.parse::<f64>() {
        return float.into();
    }
    if text.starts_with(['[', '{', '"'])
        && let Ok(value) = serde_json::from_str(text)
    {
        return value;
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(arguments: &[&str], variables: &[(&str, &str)]) -> Result<(Settings, Vec<String>)> {
        Settings::read("bridge", arguments.iter().map(ToString::to_string), |name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn environment_and_arguments_are_read() {
        let (settings, rest) = read(
            &[
                "a:=b",
                "__name:=other",
                "_rate:=10",
                "_ratio:=0.5",
                "_on:=true",
                "_list:=[1, 2]",
                "_text:=1.2.3",
                "__log:=/tmp/x.log",
                "--check",
                "__unknown:=1",
            ],
            &[
                ("ROS_MASTER_URI", "http://robot:1234/"),
                ("ROS_IP", "127.0.0.1"),
                ("ROS_NAMESPACE", "/ns"),
            ],
        )
        .unwrap();
        assert_eq!(settings.names.node(), "/ns/other");
        assert_eq!(settings.names.resolve("a").unwrap(), "/ns/b");
        assert_eq!(settings.master_uri(), "http://robot:1234/");
        assert_eq!(settings.advertised_host(), ("127.0.0.1".to_owned(), true));
        assert_eq!(settings.log_file, Some("/tmp/x.log".into()));
        assert_eq!(rest, ["--check", "__unknown:=1"]);
        let params: Vec<_> =
            settings.params.iter().map(|it| (&*it.name, it.value.clone())).collect();
        let wanted = [
            ("rate", json!(10)),
            ("ratio", json!(0.5)),
            ("on", json!(true)),
            ("list", json!([1, 2])),
            ("text", json!("1.2.3")),
        ];
        assert_eq!(params, wanted);
    }

    #[test]
    fn special_keys_win_over_the_environment() {
        let (settings, _) = read(
            &["__ns:=/two", "__master:=http://b:2", "__hostname:=c"],
            &[("ROS_NAMESPACE", "/one"), ("ROS_MASTER_URI", "http://a:1"), ("ROS_HOSTNAME", "d")],
        )
        .unwrap();
        assert_eq!(settings.names.node(), "/two/bridge");
        assert_eq!(settings.master_uri(), "http://b:2/");
        assert_eq!(settings.advertised_host(), ("c".to_owned(), false));
    }

    #[test]
    fn a_bad_address_or_name_says_what_is_wanted() {
        for uri in ["robot:11311", "http://robot", "http://:1", "http://a:x", "https://a:1"] {
            let error = read(&[], &[("ROS_MASTER_URI", uri)]).unwrap_err();
            assert!(error.message.contains("http://localhost:11311"), "{error}");
        }
        assert!(read(&["__name:=a/b"], &[]).is_err());
        assert!(read(&["a b:=c"], &[]).is_err());
    }
}
