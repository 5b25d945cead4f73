#!/usr/bin/env python3
"""The attach interface: the JDK's tools on a running VM, and malformed requests.

A program runs on the VM under test and receives every kind of request; where the JDK's VM must answer the same, it also
runs there. Ends with "N passed, N failed"."""
import json, os, re, random, signal, socket, stat, subprocess, sys, tempfile, threading, time, traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
VM = os.path.join(BUILD, "cabernet")
SOURCE = r'''
package attach;

import java.util.concurrent.locks.ReentrantLock;

public class Target {
    static final Object monitor = new Object();
    static final ReentrantLock lock = new ReentrantLock();
    static Object[] keep = new Object[1234];

    static final class Kept { }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < keep.length; i++) keep[i] = new Kept();
        Thread t = new Thread(() -> {
            lock.lock();
            synchronized (monitor) {
                try { monitor.wait(); } catch (InterruptedException e) { }
            }
        }, "attach \"holder\"");
        t.setDaemon(true);
        t.start();
        while (t.getState() != Thread.State.WAITING) Thread.sleep(1);
        System.out.println("ready");
        int c = System.in.read();
        System.out.println("over");
        if (c == 'e') System.exit(3);
        if (c == 'u') throw new IllegalStateException("uncaught");
        if (c == 'h') Runtime.getRuntime().halt(4);
    }
}
'''
COUNTS = r'''
package attach;

// Does the same work for each line of its input, and prints its result.
public class Counts {
    int field;

    static int hash(int i) { return i * 31 + 7; }
    int step(int i) { return field += hash(i); }

    static long work() {
        Counts c = new Counts();
        long sum = 0;
        for (int i = 0; i < 40_000_000; i++) sum = sum * 3 + (i % 4 == 0 ? c.step(i) : hash(i));
        return sum;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        while (System.in.read() == '\n') System.out.println(work());
        System.out.println("over");
    }
}
'''
SILENCE = 10  # seconds until a silent client is dropped: read_limit_ns in vm/management/attach.c
passed = failed = 0


def check(name, ok, detail=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("FAILED: %s\n%s" % (name, str(detail)[:2000]))
    sys.stdout.flush()


def report_of(path):
    """The profile as JSON; {} if it is not valid."""
    done = subprocess.run([os.path.join(BUILD, "cabernet-prof"), "report", "--json", path], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr}


def edges_of(path):
    """The calls within the program that a profile has counted."""
    done = subprocess.run([os.path.join(BUILD, "cabernet-prof"), "export", "--lines", path], capture_output=True, text=True)
    return sorted(l for l in done.stdout.splitlines() if l.startswith("edge") and l.count("attach.Counts.") == 2)


class Target:
    """A running program; `java` may be any VM's command."""

    def __init__(self, *options, java=VM, cwd=None, main="attach.Target", args=("one", "two"), user=None):
        command = [java, *options, "-cp", CLASSES, main, *args]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd or WORK,
                                        text=True, bufsize=1, stderr=subprocess.STDOUT, user=user)
        self.pid = self.process.pid
        self.lines = []
        line = self.process.stdout.readline()
        if line != "ready\n":
            raise RuntimeError("the program did not start: " + line + self.process.stdout.read())
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line)

    def output(self, pattern, seconds=10):
        """Waits for an output line that matches."""
        end = time.time() + seconds
        while time.time() < end:
            if any(re.search(pattern, l) for l in list(self.lines)):
                return True
            time.sleep(0.02)
        return False

    def end(self, how="q"):
        if self.process.poll() is None:
            self.process.stdin.write(how)
            self.process.stdin.flush()
        return self.process.wait(20)

    def kill(self, sig=signal.SIGKILL):
        self.process.send_signal(sig)
        return self.process.wait(20)

    @property
    def socket(self):
        return "/tmp/.java_pid%d" % self.pid

    @property
    def perf(self):
        return "/tmp/hsperfdata_%s/%d" % (USER, self.pid)


def tool(*words, seconds=60):
    r = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=seconds)
    return r.returncode, r.stdout, r.stderr


def request(*words):
    return b"".join(w.encode() + b"\0" for w in words)


def connect(target, seconds=30):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    s.settimeout(seconds)
    s.connect(target.socket)
    return s


def read_all(s):
    parts = []
    try:
        while True:
            data = s.recv(65536)
            if not data:
                break
            parts.append(data)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def ask(target, data, seconds=30, close=False):
    """Sends bytes and reads the reply to its end."""
    with connect(target, seconds) as s:
        try:
            s.sendall(data)
            if close:
                s.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass
        return read_all(s).decode(errors="replace")


def jcmd(target, line):
    return ask(target, request("1", "jcmd", line, "", ""))


def gone(path, seconds=5):
    end = time.time() + seconds
    while os.path.lexists(path) and time.time() < end:
        time.sleep(0.02)
    return not os.path.lexists(path)


# ---- tests -------------------------------------------------------------------------------------


def jstat(t, option):
    """The numbers of `jstat OPTION` by the heads of their columns; None for a dash, which the VM does not have."""
    _, out, err = tool("jstat", option, str(t.pid))
    lines = out.splitlines()
    if len(lines) != 2 or len(lines[0].split()) != len(lines[1].split()):
        return {"error": out + err}
    number = lambda w: None if w == "-" else float(w) if re.fullmatch(r"[\d.]+", w) else w
    return dict(zip(lines[0].split(), map(number, lines[1].split())))


def statistics(t):
    """Numbers of jstat are those of now, without a request to the VM."""
    check("no socket for jstat", not os.path.exists(t.socket))
    before = jstat(t, "-gc")
    check("jstat -gc", before.get("OU") and 0 < before["OU"] <= before["OC"] and 0 < before["MU"] <= before["MC"], before)
    check("no spaces that the heap lacks", [before.get(c, 0) for c in ("S0C", "EC", "CCSC")] == [None] * 3, before)
    for _ in range(3):
        tool("jcmd", str(t.pid), "GC.run")
    time.sleep(0.5)
    after = jstat(t, "-gc")
    check("full collections", after.get("FGC", 0) >= before.get("FGC", 0) + 3, (before, after))
    check("their time", after.get("GCT", 0) >= after.get("FGCT", 0) > before.get("FGCT", 0), (before, after))
    util, classes, compiler = jstat(t, "-gcutil"), jstat(t, "-class"), jstat(t, "-compiler")
    check("jstat -gcutil", 0 < util.get("O", 0) <= 100 and util.get("FGC", 0) >= after["FGC"], util)
    check("jstat -class", classes.get("Loaded", 0) > 300 and classes.get("Unloaded") == 0, classes)
    check("jstat -compiler", compiler.get("Failed") is not None and compiler.get("Compiled", -1) >= 0, compiler)
    cause = tool("jstat", "-gccause", str(t.pid))[1]
    check("jstat -gccause", "No GC" in cause and cause.splitlines()[1].count("No GC") == 1, cause)


def listing(t):
    _, out, _ = tool("jps", "-l")
    check("jps -l", "%d attach.Target\n" % t.pid in out, out)
    _, out, _ = tool("jps")
    check("jps", "%d Target\n" % t.pid in out, out)
    _, out, _ = tool("jps", "-mv")
    check("jps -mv", re.search(r"^%d Target one two -Dp=q -Xmx96m$" % t.pid, out, re.M), out)
    _, out, _ = tool("jcmd", "-l")
    check("jcmd -l", "%d attach.Target one two\n" % t.pid in out, out)
    mode = os.stat(t.perf)
    check("performance data file: mode", stat.S_IMODE(mode.st_mode) == 0o600, oct(mode.st_mode))
    check("no socket before it is asked for", not os.path.exists(t.socket))


def commands(t):
    cases = [
        ("help", r"^The following commands are available:\nCompiler.codecache\n(.*\n)*VM.version\nhelp\n"),
        ("help Thread.print", r"^Thread.print\n.*\n\nImpact: .*\n\nPermission: .*\n\nSyntax : Thread.print \[options\]"),
        ("help -all", r"\nVM.uptime\n"),
        ("help nope", r"^Help unavailable : 'nope' : No such command$"),
        ("Thread.print", r'^"attach "holder"" #\d+ daemon prio=5 .*\n   java.lang.Thread.State: WAITING \(on object monitor\)\n'
                         r"\tat java.lang.Object.wait\(java.base@.*/Native Method\)\n\t- waiting on <0x[0-9a-f]+> \(a java.lang.Object\)"),
        ("Thread.print", r"\tat attach.Target.lambda\$main\$0\(Target.java:\d+\)\n\t- locked <0x[0-9a-f]+> \(a java.lang.Object\)"),
        ("Thread.print -l", r"Locked ownable synchronizers:\n\t- <0x[0-9a-f]+> \(a java.util.concurrent.locks.ReentrantLock\$NonfairSync\)"),
        ("Thread.print -e", r"allocated=\d+B"),
        ("VM.version", r"^Cabernet VM version .*\nJDK 17\."),
        ("VM.flags", r"-XX:MaxHeapSize=100663296 "),
        ("VM.flags -all", r"bool UsePerfData += true .*\{default\}"),
        ("VM.command_line", r"^VM Arguments:\njvm_args: -Dp=q -Xmx96m \njava_command: attach.Target one two\njava_class_path \(initial\): "),
        ("VM.system_properties", r"^p=q$"),
        ("VM.uptime", r"^\d+\.\d{3} s$"),
        ("VM.uptime -date", r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}: \d+\.\d{3} s$"),
        ("Compiler.codecache", r"^ code \d+K, metadata \d+K, limit \d+K\n \d+ methods and loops have code"),
        ("Compiler.codelist", r"^( *\d+ [12] .* bytes at 0x[0-9a-f]+.*)?$"),
        ("Compiler.deoptimize", r"^Command executed successfully$"),
        ("GC.run", r"^Command executed successfully$"),
        ("GC.heap_info", r"total \d+K, used \d+K"),
        ("GC.class_histogram", r"^ +\d+: +1234 +\d+  attach\.Target\$Kept$"),
        ("Profile.heap -all", r"^ +\d+ +\d+\.\d % +1234  attach\.Target\$Kept$"),
        ("help GC.heap_dump", r"^Syntax : GC.heap_dump \[options\] <filename>$"),
    ]
    for line, pattern in cases:
        rc, out, err = tool("jcmd", str(t.pid), *line.split())
        body = out.split("\n", 1)[1] if out.startswith("%d:\n" % t.pid) else out
        check("jcmd " + line, rc == 0 and re.search(pattern, body, re.M), "exit %d\n%s%s" % (rc, out, err))
    s = os.stat(t.socket)
    check("socket: owner and mode", s.st_uid == os.geteuid() and stat.S_IMODE(s.st_mode) == 0o600, oct(s.st_mode))


def tools(t):
    pid = str(t.pid)
    cases = [
        (["jstack", pid], r"(?s)^\d{4}-.*Full thread dump Cabernet VM.*\"main\" #1"),
        (["jstack", "-l", pid], r"Locked ownable synchronizers"),
        (["jinfo", "-flags", pid], r"-XX:MaxHeapSize=100663296"),
        (["jinfo", "-flag", "MaxHeapSize", pid], r"^-XX:MaxHeapSize=100663296$"),
        (["jinfo", "-sysprops", pid], r"^p=q$"),
        (["jmap", "-histo", pid], r"^ +\d+: +1234 +\d+  attach\.Target\$Kept$"),
        (["jmap", "-histo:live", pid], r"^Total +\d+ +\d+$"),
    ]
    for words, pattern in cases:
        rc, out, err = tool(*words)
        check(" ".join(words[:-1]), rc == 0 and re.search(pattern, out, re.M), "exit %d\n%s%s" % (rc, out, err))
    file = os.path.join(WORK, "histogram")
    tool("jmap", "-histo:file=" + file, pid)
    check("jmap -histo:file", os.path.exists(file) and "attach.Target$Kept" in open(file).read())
    flag = "ShowCodeDetailsInExceptionMessages"
    tool("jinfo", "-flag", "-" + flag, pid)
    check("jinfo: a flag that may change", tool("jinfo", "-flag", flag, pid)[1] == "-XX:-%s\n" % flag)
    rc, _, err = tool("jinfo", "-flag", "MaxHeapSize=1", pid)
    check("jinfo: a flag that may not", rc == 1 and "cannot be changed" in err, err)
    flag = "HeapDumpOnOutOfMemoryError"
    tool("jinfo", "-flag", "+" + flag, pid)
    check("jinfo: a heap dump when memory runs out", tool("jinfo", "-flag", flag, pid)[1] == "-XX:+%s\n" % flag)
    tool("jinfo", "-flag", "-" + flag, pid)


def tools_on_the_vm(t):
    """The tools themselves run on the VM under test."""
    rc, out, err = tool(VM, "-m", "jdk.jcmd/sun.tools.jps.Jps", "-l")
    check("jps on this VM", rc == 0 and "%d attach.Target\n" % t.pid in out, out + err)
    rc, out, err = tool(VM, "-m", "jdk.jcmd/sun.tools.jcmd.JCmd", str(t.pid), "VM.uptime")
    check("jcmd on this VM", rc == 0 and re.search(r"^\d+\.\d{3} s$", out, re.M), out + err)
    rc, out, err = tool(VM, "-m", "jdk.jcmd/sun.tools.jcmd.JCmd", "attach.Target", "VM.version")
    check("jcmd by main class", rc == 0 and "Cabernet VM" in out, out + err)


def same_as_java(t):
    other = Target("-Dp=q", "-Xmx96m", java="java")
    try:
        for line in ["nope", "VM.uptime nonsense", "Thread.print -x", "VM.uptime -date=maybe", "help nope", "GC.run",
                     "VM.uptime -date -date2", "GC.heap_dump", "GC.heap_dump -gz=x a", "GC.heap_dump a b"]:
            a, b = (tool("jcmd", str(x.pid), *line.split()) for x in (t, other))
            a = (a[0], a[1].replace(str(t.pid), "PID"), a[2].splitlines()[:1])
            b = (b[0], b[1].replace(str(other.pid), "PID"), b[2].splitlines()[:1])
            check("as java: jcmd " + line, a == b, "%s\n%s" % (a, b))
        for words in [["jinfo", "-flag", "Nope"], ["jinfo", "-flag", "+Nope"], ["jinfo", "-flag", "-MaxHeapSize"]]:
            a, b = (tool(*words, str(x.pid)) for x in (t, other))
            check("as java: " + " ".join(words), (a[0], a[1], a[2][:60]) == (b[0], b[1], b[2][:60]), "%s\n%s" % (a, b))
        for data in [request("1", "nope", "", "", ""), request("1", "jcmd", "nope", "", ""),
                     request("2", "jcmd", "help", "", ""), request("", "", "", "", ""),
                     request("1", "dumpheap", "x", "-some", ""), request("1", "dumpheap", "x", "", "z"),
                     request("1", "dumpheap", "x", "-all", "12")]:
            check("as java: request %r" % data, ask(t, data) == ask(other, data), "%r %r" % (ask(t, data), ask(other, data)))
    finally:
        other.kill()


def malformed(t):
    silent = [
        ("a command too long", request("1", "c" * 17, "", "", "")),
        ("an argument too long", request("1", "jcmd", "a" * 1025, "", "")),
        ("an endless string", b"1\0" + b"x" * 100000),
        ("more than five strings", request("1", "jcmd", "help", "", "", "more")),
        ("bytes behind the request", request("1", "jcmd", "VM.uptime", "", "") + b"x"),
    ]
    for name, data in silent:
        check(name, ask(t, data) == "", repr(ask(t, data))[:200])
    check("half a request", ask(t, b"1\0jcmd\0VM.up", close=True) == "")
    check("nothing at all", ask(t, b"", close=True) == "")
    check("another version", ask(t, request("3", "jcmd", "help", "", "")) == "101\n")
    check("an unknown operation", ask(t, request("1", "frobnicate", "", "", "")) == "-1\nOperation frobnicate not recognized!")
    check("an agent", ask(t, request("1", "load", "instrument", "false", "x.jar")).startswith("-1\n"))
    check("an empty command line", jcmd(t, "").startswith("-1\n"), jcmd(t, ""))
    check("the longest argument", jcmd(t, "x" * 1024).startswith("-1\n"))
    with connect(t) as s:
        for b in request("1", "jcmd", "VM.uptime", "", ""):
            s.sendall(bytes([b]))
            time.sleep(0.001)
        check("byte by byte", re.match(r"0\n\d", read_all(s).decode()))
    r = random.Random(20)
    for _ in range(200):
        n = r.choice([1, 5, 40, 4000])
        data = bytes(r.choice([0, 0, 49, 106, r.randrange(256)]) for _ in range(n))
        ask(t, data, close=True)
    check("200 random requests", re.match(r"0\n\d", jcmd(t, "VM.uptime")))


def crowd(t):
    # There is room for 64 clients: further ones wait until silent clients are dropped or leave.
    silent = [connect(t) for _ in range(40)]
    begin = time.time()
    check("40 silent clients delay nobody", re.match(r"0\n\d", jcmd(t, "VM.uptime")) and time.time() - begin < 0.8 * SILENCE)
    deaf = connect(t)
    deaf.sendall(request("1", "threaddump", "", "", ""))
    check("a client that does not read delays nobody", re.match(r"0\n\d", jcmd(t, "VM.uptime")))
    for s in silent[1:]:
        s.close()
    results = []

    def client(i):
        lines = ["VM.uptime", "VM.version", "Thread.print", "VM.flags", "GC.heap_info"]
        for n in range(4):
            answer = jcmd(t, lines[(i + n) % len(lines)])
            results.append(answer.startswith("0\n") and len(answer) > 5)

    threads = [threading.Thread(target=client, args=(i,)) for i in range(50)]
    begin = time.time()
    for x in threads:
        x.start()
    for x in threads:
        x.join()
    took = time.time() - begin
    check("50 concurrent clients", len(results) == 200 and all(results), results)
    print("50 clients, 200 requests: %.2f s" % took)
    begin = time.time()
    data = read_all(silent[0])
    check("a silent client is dropped", data == b"" and time.time() - begin < 3 * SILENCE)
    deaf.close()


def other_user(t):
    """As root only: another user may neither connect nor start the interface."""
    if os.geteuid() != 0:
        return
    code = r'''
import os, socket, sys
os.setgid(65534); os.setuid(65534)
s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
try:
    s.connect(sys.argv[1])
    s.sendall(b"1\0jcmd\0VM.version\0\0\0")
    print(repr(s.recv(100)))
except OSError as e:
    print(type(e).__name__)
'''
    rc, out, _ = tool(sys.executable, "-c", code, t.socket)
    check("another user cannot connect", out == "PermissionError\n", out)
    os.chmod(t.socket, 0o666)
    rc, out, _ = tool(sys.executable, "-c", code, t.socket)
    check("another user gets no answer", out in ("b''\n", "BrokenPipeError\n", "ConnectionResetError\n"), out)
    os.chmod(t.socket, 0o600)
    check("the user still does", re.match(r"0\n\d", jcmd(t, "VM.uptime")))
    fresh = Target()
    trigger = "/tmp/.attach_pid%d" % fresh.pid
    open(trigger, "w").close()
    os.chown(trigger, 65534, 65534)
    fresh.process.send_signal(signal.SIGQUIT)
    check("another user's trigger file: a thread dump", fresh.output("Full thread dump") and not os.path.exists(fresh.socket))
    os.unlink(trigger)
    fresh.end()


def thread_dump_signal():
    t = Target()
    t.process.send_signal(signal.SIGQUIT)
    check("SIGQUIT alone is a thread dump", t.output("^Full thread dump") and not os.path.exists(t.socket))
    open(os.path.join(WORK, ".attach_pid%d" % t.pid), "w").close()
    t.process.send_signal(signal.SIGQUIT)
    end = time.time() + 20
    while not os.path.exists(t.socket) and time.time() < end:
        time.sleep(0.02)
    check("SIGQUIT with the trigger file", re.match(r"0\n\d", jcmd(t, "VM.uptime")))
    os.unlink(os.path.join(WORK, ".attach_pid%d" % t.pid))
    del t.lines[:]
    t.process.send_signal(signal.SIGQUIT)
    check("SIGQUIT afterwards is a thread dump again", t.output("^Full thread dump") and t.output('"Attach Listener" #'))
    ask(t, request("1", "datadump", "", "", ""))
    os.unlink(t.socket)
    rc, out, err = tool("jcmd", str(t.pid), "VM.version")
    check("a removed socket comes back", rc == 0 and "Cabernet" in out, out + err)
    check("and only the new one is served", re.match(r"0\n\d", jcmd(t, "VM.uptime")))
    check("normal end", t.end() == 0)
    check("socket removed", gone(t.socket))
    check("performance data file removed", gone(t.perf))


def ends():
    for how, code in [("e", 3), ("u", 1), ("h", 4), (signal.SIGTERM, 143), (signal.SIGABRT, -signal.SIGABRT),
                      (signal.SIGKILL, -signal.SIGKILL)]:
        t = Target()
        tool("jcmd", str(t.pid), "VM.version")
        was = os.path.exists(t.socket) and os.path.exists(t.perf)
        rc = t.kill(how) if isinstance(how, signal.Signals) else t.end(how)
        if how == signal.SIGKILL:  # cannot be handled: the next VM removes the file
            for f in (t.socket, t.perf):
                check("killed: " + f[:8], was)
            Target().end()
            check("the next VM removes a dead one's file", gone(t.perf), t.perf)
            os.unlink(t.socket)
            continue
        check("end %s: exit code" % how, rc == code, rc)
        check("end %s: files removed" % how, was and gone(t.socket) and gone(t.perf))


def after_a_killed_process():
    """The number of a killed process is used again: no process listens on its socket."""
    for vm in VM, "java":
        wrapper = os.path.join(WORK, "as-if-killed")
        with open(wrapper, "w") as f:
            f.write("""#!/bin/sh
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' /tmp/.java_pid$$
exec %s "$@"
""" % vm)
        os.chmod(wrapper, 0o755)
        t = Target(java=wrapper)
        check("%s removes the socket of a killed process" % vm, gone(t.socket), t.socket)
        rc, out, err = tool("jcmd", str(t.pid), "VM.version")
        check("%s answers after a killed process" % vm, rc == 0, out + err)
        t.end()


JMX = r'''
import java.lang.management.*;
import javax.management.*;
import javax.management.remote.*;

public class Client {
    public static void main(String[] args) throws Exception {
        try (JMXConnector c = JMXConnectorFactory.connect(new JMXServiceURL(args[0]))) {
            MBeanServerConnection s = c.getMBeanServerConnection();
            ThreadMXBean t = ManagementFactory.newPlatformMXBeanProxy(s, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
            for (ThreadInfo i : t.dumpAllThreads(true, true))
                if (i.getThreadName().equals("main")) System.out.println("main " + (i.getStackTrace().length > 0));
            System.out.println(s.getAttribute(new ObjectName("java.lang:type=Runtime"), "VmName"));
        }
    }
}
'''


def jmx():
    """JMX over the network, enabled by properties and by jcmd."""
    source = os.path.join(WORK, "Client.java")
    open(source, "w").write(JMX)
    subprocess.run(["javac", "-d", CLASSES, source], check=True)
    with socket.socket() as s:
        s.bind(("localhost", 0))
        port = s.getsockname()[1]
    settings = ["jmxremote.port=%d" % port, "jmxremote.authenticate=false", "jmxremote.ssl=false"]
    url = "service:jmx:rmi:///jndi/rmi://localhost:%d/jmxrmi" % port
    t = Target(*("-Dcom.sun.management." + s for s in settings))
    for vm in ("java", VM):
        rc, out, err = tool(vm, "-cp", CLASSES, "Client", url)
        check("JMX over RMI, client on " + os.path.basename(vm), out == "main true\nCabernet VM\n", out + err)
    t.end("e")
    t = Target()
    tool("jcmd", str(t.pid), "VM.version")
    answer = jcmd(t, "ManagementAgent.start " + " ".join(settings))
    check("ManagementAgent.start", answer == "0\n", answer)
    rc, out, err = tool("java", "-cp", CLASSES, "Client", url)
    check("JMX started by jcmd", out == "main true\nCabernet VM\n", out + err)
    check("ManagementAgent.status", re.search(r"Connection Type: remote", jcmd(t, "ManagementAgent.status")))
    check("ManagementAgent.stop", jcmd(t, "ManagementAgent.stop") == "0\n")
    check("ManagementAgent.start, what is no property", "Unknown argument" in jcmd(t, "ManagementAgent.start x"))
    t.end()
    rc, out, err = tool(VM, "-Dcom.sun.management.jmxremote.port=none", "-cp", CLASSES, "attach.Target")
    check("a bad port", rc == 1 and "Invalid com.sun.management.jmxremote.port number: none" in out + err, out + err)


def two_profiles():
    """A program that counts exactly all its life is sampled meanwhile, by each tool. The counts are those without."""
    counts, results = [], []
    for how in ("alone", "sampled", "SIGTERM"):
        exact, sampled_in = (os.path.join(WORK, "%s-%s.prof" % (how, kind)) for kind in ("exact", "time"))
        t = Target("-Xprofile:call-edge:message=off:file=" + exact, main="attach.Counts")
        tool("jcmd", str(t.pid), "VM.version")  # it listens from now on

        def work(times):
            before = len(t.lines)
            for _ in range(times):
                t.process.stdin.write("\n")
                t.process.stdin.flush()
            end = time.time() + 60
            while len(t.lines) < before + times and time.time() < end:
                time.sleep(0.01)

        def refused(line, why):
            answer = jcmd(t, line)
            check("refused: " + line, answer.startswith("-1\n") and why in answer, answer)
        there = "there is the profile events of call-edge in %s, which Profile.end ends" % exact
        if how == "alone":
            work(7)
        else:
            work(1)
            record = subprocess.Popen([os.path.join(BUILD, "cabernet-prof"), "record", str(t.pid), "-e", "cpu", "-d", "2", "-o", sampled_in],
                                      stderr=subprocess.PIPE, text=True)
            while "name=record-" not in jcmd(t, "Profile.status") and record.poll() is None:
                time.sleep(0.01)
            refused("Profile.start branch", there)
            refused("JFR.start", "Could not start a recording. there is the profile record-%d of cpu in " % record.pid)
            work(2)
            err = record.communicate()[1]
            check("record beside call-edge", record.returncode == 0, err)
            sampled = report_of(sampled_in)
            check("samples of " + how, [a["name"] for a in sampled.get("analyses", [])] == ["cpu", "cpu-lines"] and sampled["analyses"][0]["recorded"] > 10, sampled)
            refused("JFR.start settings=profile", there)
            answer = jcmd(t, "JFR.start name=mine filename=%s.jfr" % sampled_in)
            check("JFR.start beside call-edge", "Started recording" in answer, answer)
            work(2)
            answer = jcmd(t, "JFR.stop name=mine")
            check("JFR.stop beside call-edge", 'Stopped recording "mine"' in answer, answer)
            rc, out, err = tool("jfr", "summary", sampled_in + ".jfr")
            check("the recording", rc == 0 and re.search(r"jdk.ExecutionSample +[1-9]", out), out + err)
            check("a profile that goes on", jcmd(t, "Profile.start wall:name=w:message=off:file=%s.wall" % sampled_in) == "0\n")
            answer = jcmd(t, "Profile.dump " + exact + ".now")
            check("which profile is meant", answer.startswith("-1\n") and "name=events or name=w" in answer, answer)
            check("dump of one of two", jcmd(t, "Profile.dump %s.now name=events" % exact) == "0\n")
            check("counts of the dump", len(edges_of(exact + ".now")) > 0)
            work(2)
        results.append([l for l in t.lines if l[0] in "-0123456789"])
        if how == "SIGTERM":
            t.process.send_signal(signal.SIGTERM)
            check("exit status after SIGTERM", t.process.wait(60) in (-signal.SIGTERM, 128 + signal.SIGTERM))
        else:
            t.end()
        if how != "alone":
            other = report_of(sampled_in + ".wall")
            check("the other profile at the end by " + how, other.get("complete") and other["analyses"][0]["recorded"] > 0, other)
        whole = report_of(exact)
        check("the exact profile of " + how, whole.get("complete") and [a["name"] for a in whole["analyses"]] == ["call-edge"] and whole["analyses"][0]["lost"] == 0, whole)
        counts.append(edges_of(exact))
    check("the program prints the same", results[0] == results[1] == results[2] and len(results[0]) == 7, results)
    check("the counts are the same", len(counts[0]) >= 4 and counts[0] == counts[1] == counts[2], counts)


def options():
    t = Target("-XX:+DisableAttachMechanism")
    rc, out, err = tool("jcmd", str(t.pid), "VM.version")
    check("-XX:+DisableAttachMechanism", rc != 0 and not os.path.exists(t.socket), out + err)
    check("listed all the same", "%d attach.Target" % t.pid in tool("jps", "-l")[1])
    check("and not by jcmd", "%d attach.Target" % t.pid not in tool("jcmd", "-l")[1])
    t.end()
    t = Target("-XX:-UsePerfData")
    check("-XX:-UsePerfData", not os.path.exists(t.perf) and "%d" % t.pid not in tool("jps", "-q")[1].split())
    rc, out, err = tool("jcmd", str(t.pid), "VM.version")
    check("attach without performance data", rc == 0 and "Cabernet" in out, out + err)
    t.end()
    t = Target("-Xrs")
    check("-Xrs: listens from the start", re.match(r"0\n\d", jcmd(t, "VM.uptime")))
    t.end()


def main():
    t = Target("-Dp=q", "-Xmx96m")
    try:
        for part in (listing, statistics, commands, tools, tools_on_the_vm, same_as_java, malformed, crowd, other_user):
            try:
                part(t)
            except Exception:
                check(part.__name__, False, traceback.format_exc())
        check("alive at the end", t.process.poll() is None and t.end() == 0)
    finally:
        if t.process.poll() is None:
            t.kill()
    for part in (thread_dump_signal, ends, after_a_killed_process, jmx, two_profiles, options):
        try:
            part()
        except Exception:
            check(part.__name__, False, traceback.format_exc())


with tempfile.TemporaryDirectory() as WORK:
    import pwd
    USER = pwd.getpwuid(os.geteuid()).pw_name
    CLASSES = os.path.join(WORK, "classes")
    source = os.path.join(WORK, "Target.java")
    open(source, "w").write(SOURCE)
    counts = os.path.join(WORK, "Counts.java")
    open(counts, "w").write(COUNTS)
    subprocess.run(["javac", "-d", CLASSES, source, counts], check=True)
    main()
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
