use super::*;

#[test]
fn a_machine_with_version_2_alone_lacks_every_controller() {
    assert_eq!(absent_controllers("0::/user.slice\n"), CONTROLLERS);
}

#[test]
fn controllers_that_share_a_hierarchy_are_found() {
    let joined = "9:name=systemd:/\n4:cpu,cpuacct:/\n3:memory,pids:/\n2:cpuset,devices:/\n0::/\n";
    assert_eq!(absent_controllers(joined), ["blkio"]);
}

#[test]
fn programs_and_plugins_that_are_not_there_are_named() {
    assert_eq!(
        missing(&["sh", "no-such-program"], &["no-such-plugin"]),
        ["no-such-program", "/usr/lib/cni/no-such-plugin"]
    );
}

#[test]
fn the_error_has_the_line_that_installs_what_is_missing() {
    let error = NodeError::Missing {
        what: "containerd, runc".to_owned(),
    };
    assert_eq!(
        error.to_string(),
        "a node needs containerd, runc: apt-get install --no-install-recommends containerd runc containernetworking-plugins nftables iproute2"
    );
}
