//! `posthouse_bridge`, the ROS node: chosen topics and services on a Posthouse hub.
use std::process::ExitCode;

fn main() -> ExitCode {
    posthouse_ros_bridge::node::main()
}
