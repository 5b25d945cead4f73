"""A browser for tests: headless Chromium through chromedriver's W3C WebDriver, by HTTP alone."""
import base64, json, os, shutil, socket, subprocess, time, urllib.error, urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
LIMIT = 60


def missing():
    """The name of a missing program, or None."""
    for program in "chromium", "chromedriver":
        if not shutil.which(program):
            return program
    return None


class Browser:
    def __init__(self, width=1200, height=900, dark=False):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", "--port=%d" % port], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        self.base = "http://127.0.0.1:%d" % port
        self.session = ""
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1",
                     "--proxy-server=127.0.0.1:9", "--window-size=%d,%d" % (width, height)]  # there is no network
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        if dark:
            arguments.append("--blink-settings=preferredColorScheme=0")
        options = {"args": arguments, "binary": shutil.which("chromium")}
        try:
            self._wait()
            made = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
        except BaseException:
            self.driver.kill()
            raise
        self.session = "/session/" + made["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._ask("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait(LIMIT)

    def _wait(self):
        end = time.monotonic() + LIMIT
        while True:
            try:
                return self._ask("GET", "/status")
            except (urllib.error.URLError, ConnectionError):
                if time.monotonic() > end or self.driver.poll() is not None:
                    raise
                time.sleep(0.05)

    def _ask(self, method, path, body=None):
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=LIMIT) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise AssertionError("browser: %s" % json.load(e)["value"]["message"]) from None

    def open(self, path, fragment=""):
        self._ask("POST", self.session + "/url", {"url": "file://" + os.path.abspath(path) + fragment})

    def view(self, name):
        self.run("location.hash = arguments[0]", "#" + name)
        self.until("return document.querySelector('nav a[aria-current]').dataset.view === arguments[0]", name.split("?")[0])

    def run(self, script, *arguments):
        """Runs a script, which is the body of a function; returns its result."""
        return self._ask("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def until(self, script, *arguments):
        end = time.monotonic() + LIMIT
        while not self.run(script, *arguments):
            if time.monotonic() > end:
                raise AssertionError("browser: never came true: " + script)
            time.sleep(0.05)

    def find(self, css):
        return self._ask("POST", self.session + "/element", {"using": "css selector", "value": css})[ELEMENT]

    def click(self, css):
        self._ask("POST", "%s/element/%s/click" % (self.session, self.find(css)))

    def type(self, css, text):
        self._ask("POST", "%s/element/%s/value" % (self.session, self.find(css)), {"text": text})

    def text(self, css):
        return self._ask("GET", "%s/element/%s/text" % (self.session, self.find(css)))

    def size(self, width, height):
        self._ask("POST", self.session + "/window/rect", {"width": width, "height": height})

    def viewport(self, width, height):
        """A page of that size, which may be narrower than a window can be."""
        self._ask("POST", self.session + "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}})

    def press(self, *keys):
        """Presses keys, which the focused element gets."""
        presses = [a for k in keys for a in ({"type": "keyDown", "value": k}, {"type": "keyUp", "value": k})]
        self._ask("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keys", "actions": presses}]})

    def errors(self):
        """The warnings and errors on the console since the last call."""
        return [e["message"] for e in self._ask("POST", self.session + "/se/log", {"type": "browser"})
                if e["level"] in ("SEVERE", "WARNING")]

    def screenshot(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self._ask("GET", self.session + "/screenshot")))
