package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"causeway.example/cluster/parent"
)

// guard runs a program that cannot watch its parent itself, in a process group of its own, and ends
// the whole group when the parent ends or the program does. Its exit code is the program's.
func guard(arguments []string) int {
	if len(arguments) == 0 {
		fmt.Fprintln(os.Stderr, "usage: guard PROGRAM [ARGUMENTS]")
		return 2
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2)
	ended := make(chan struct{})
	parent.OnEnd(func() { close(ended) })

	// The kernel sends the signal when the thread ends that started the child, not the process.
	runtime.LockOSThread()
	child := exec.Command(arguments[0], arguments[1:]...)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := child.Start(); err != nil {
		return complain("guard", err)
	}
	group := -child.Process.Pid
	go func() {
		for {
			select {
			case received := <-signals:
				syscall.Kill(group, received.(syscall.Signal))
			case <-ended:
				syscall.Kill(group, syscall.SIGKILL)
				return
			}
		}
	}()
	err := child.Wait()
	syscall.Kill(group, syscall.SIGKILL)
	return code(err)
}

// code is 128 and the signal for a program that a signal ended, as shells have it.
func code(err error) int {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		if err != nil {
			return complain("guard", err)
		}
		return 0
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}
