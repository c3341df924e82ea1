#!/usr/bin/env python3
"""Opens pages that `gate replay --html` writes in a browser, and holds them to what is said of them.

An ordinary audit, one with batch hazards, a hostile, an empty, a faulty one and one of a thousand runs are
written as a page and as JSON in one pass, and opened in Chromium, run by Playwright from an environment of
its own. Of each page:

- nothing goes wrong or is asked for: no message in the console, no request but for the file, no violation of
  the page's policy, no dialog;
- every number that says where the JSON report has it is what stands there;
- ids are there once, links lead to what is there, tables have headings, charts have words;
- text stands out from its ground by 4.5 to 1, in light and in dark;
- nothing is wider than a window of 380 pixels;
- the table of calls can be searched and sorted, and is all there where scripts are off.

Screenshots are left in the target directory, to be looked at. Skipped where there is no Chromium or Playwright
cannot be had.

    python3 .ci/html.py target/release/gate target/html
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from gatelib import conclude, skip

VERSION = "1.65.2"

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures"

FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()

#: Texts that would be markup, script, style, another direction or nothing at all.
HOSTILE = (
    "<script>alert(1)</script>", "</style><script>alert(2)</script>", "</title><img src=x onerror=alert(3)>",
    "\"><svg onload=alert(4)>", "' onmouseover='alert(5)", "javascript:alert(6)", "</table></main><h1>exit 0</h1>",
    "<a href='http://example.invalid/'>x</a>", "&lt;b&gt;&#0;&amp;", "a\u202egnp.exe", "z\u200bw\u2066", "tab\tnew\nline",
    "<!-- ", "]]>", "${alert(7)}", "{{7*7}}", "url(http://example.invalid/)", "\u05d0\u05d1\u05d2 123", "  two  blanks ",
    "x" * 3000, "a" + "\u0301" * 500, "", "d1", "verdict",
)


def interpreter(folder):
    """Python with Playwright, made if it is not there."""
    python = folder / "bin" / "python"
    probe = [str(python), "-c", "import playwright"]
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "-q", f"playwright=={VERSION}"],
    ):
        if python.exists() and subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            break
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            shutil.rmtree(folder, ignore_errors=True)
            last = (done.stderr or done.stdout).strip().splitlines()[-1:]
            skip(f"Playwright cannot be installed: {' '.join(last)}")
    return str(python)


def hostile(folder):
    """A trace that says such texts wherever it can."""
    path = folder / "t<img src=x onerror=alert(9)>'.jsonl"
    with open(path, "w", encoding="utf-8") as out:
        for number, text in enumerate(HOSTILE):
            run = {"type": "run_start", "run": text + "r", "agent": text, "intent": text, "nope" + text: 1}
            out.write(json.dumps(run) + "\n")
            for turn, tool in enumerate(("send_email", "send_email", "send_email", text or "t", "sql_query")):
                call = {"run": text + "r", "id": f"{text}{turn}", "turn": turn, "tool": tool, "args": {"q": text, text + "k": "</code>"}}
                call["labels"] = [text + "l"]
                out.write(json.dumps(call) + "\n")
            out.write(json.dumps({"type": text, "run": text}) + "\n" if number % 3 else text.replace("\n", " ") + "\n")
    return path


def thousand(folder):
    """A thousand runs of forty calls; some end badly."""
    rng = random.Random(5)
    path = folder / "thousand.jsonl"
    with open(path, "w", encoding="utf-8") as out:
        for run in range(1000):
            daring = rng.random() ** 4
            for turn in range(1, 41):
                tool = "send_email" if rng.random() < 0.06 * daring else rng.choice(("sql_query", "read_file", "search", "grep"))
                if rng.random() < 0.08 * daring:
                    tool = "http_request"
                call = {"run": f"run-{run:04d}", "id": f"c{turn}", "turn": turn, "tool": tool, "args": {"n": turn}}
                call["result"], call["cost_usd"] = "ok", round(rng.random() * 0.3 * daring, 3)
                out.write(json.dumps(call) + "\n")
    return path


def pages(folder):
    """The audits: a name, the arguments and the status."""
    readme = FIXTURES / "readme"
    yield "ordinary", [readme / "trace.jsonl", "--policy", readme / "gate.toml", "--coverage", "--show-args"], 1
    yield "batch", [FIXTURES / "cases/batch.jsonl", FIXTURES / "cases/drift.jsonl"], 1
    yield "hostile", [hostile(folder), "--show-args", "--allow-faults"], 1
    empty = folder / "empty.jsonl"
    empty.write_text("")
    yield "empty", [empty], 2
    yield "faulty", [FIXTURES / "docs/faulty.jsonl", folder / "absent.jsonl"], 2
    yield "clean", [FIXTURES / "docs/trace.jsonl", "--policy", FIXTURES / "cases/escalation.toml"], 0
    yield "thousand", [thousand(folder)], 1


def number(text):
    """What a `value` says; absent for what is no number."""
    try:
        return float(text)
    except ValueError:
        return None


def at(document, pointer):
    """What a JSON Pointer leads to."""
    for token in pointer.split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        document = document[int(token)] if isinstance(document, list) else document[token]
    return document


#: What a page says of itself, found out in it.
LOOK = r"""() => {
  const wrong = [];
  const all = (what) => [...document.querySelectorAll(what)];
  const ids = all("[id]").map((e) => e.id);
  if (new Set(ids).size !== ids.length) wrong.push("an id is there twice");
  for (const a of all("a")) {
    const to = a.getAttribute("href");
    if (!to.startsWith("#") || !document.getElementById(to.slice(1))) wrong.push("a link leads nowhere: " + to);
  }
  if (all("h1").length !== 1 || all("main").length !== 1 || !all("#end").length) wrong.push("not one page");
  for (const t of all("table")) {
    if (!t.caption || t.querySelector("th:not([scope])")) wrong.push("a table without its headings");
    const width = t.tHead.rows[0].cells.length;
    if ([...t.tBodies[0].rows].some((row) => row.cells.length !== width)) wrong.push("rows of other columns: " + t.caption.textContent);
  }
  for (const svg of all("svg")) {
    if (!svg.hasAttribute("aria-label") && svg.getAttribute("aria-hidden") !== "true") wrong.push("a chart without words");
  }
  let last = 1;
  for (const h of all("h1, h2, h3, h4")) {
    const level = Number(h.tagName[1]);
    if (level > last + 1) wrong.push("headings leave one out: " + h.textContent);
    last = level;
  }
  if (all("script").length !== 1 || all("style").length !== 1) wrong.push("another script or style");
  for (const tag of ["img", "iframe", "object", "embed", "form", "base", "link", "audio", "video"]) {
    if (all(tag).length) wrong.push("an element " + tag);
  }
  for (const e of all("*")) for (const a of e.attributes) {
    if (a.name.startsWith("on") || a.name === "style" || a.name === "src") wrong.push("an attribute " + a.name);
  }
  return { wrong, data: all("data[data-json]").map((e) => [e.dataset.json, e.value]) };
}"""

#: Texts that stand out too little from what they stand on.
CONTRAST = r"""() => {
  const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
  const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b; };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] === 1) return c; } return [255, 255, 255, 1]; };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (walker.nextNode() && seen < 4000) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || ["SCRIPT", "STYLE"].includes(e.tagName)) continue;
    seen += 1;
    const style = getComputedStyle(e);
    const ink = parse(e.namespaceURI.endsWith("svg") ? style.fill : style.color);
    const [a, b] = [light(ink.slice(0, 3)), light(ground(e).slice(0, 3))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) found.add(ratio.toFixed(2) + " " + e.tagName + "." + e.getAttribute("class"));
  }
  return [...found];
}"""

FILTER = r"""() => {
  const rows = [...document.querySelectorAll("table.calls tbody tr")];
  return { all: rows.length, shown: rows.filter((r) => r.offsetParent !== null).length,
    kinds: [...new Set(rows.filter((r) => r.offsetParent !== null).map((r) => r.cells[4].textContent))],
    lines: rows.map((r) => r.cells[0].textContent), says: (document.getElementById("f-shown") || {}).value,
    filter: !!document.querySelector(".filter") && !document.querySelector(".filter").hidden };
}"""


class Browser:
    """Chromium with a profile of its own, and what it has to complain of."""

    def __init__(self, playwright, profile, **options):
        self.context = playwright.chromium.launch_persistent_context(
            profile, executable_path=shutil.which("chromium"), headless=True, args=FLAGS, **options
        )
        self.complaints = []

    def open(self, path, width=1280, scheme="light"):
        """A page, watched from before it is read."""
        page = self.context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        url = path.absolute().as_uri()
        say = self.complaints.append
        page.on("console", lambda message: say(f"console: {message.text}"))
        page.on("pageerror", lambda error: say(f"error: {error}"))
        page.on("dialog", lambda dialog: (say(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: request.url.split("#")[0] == url or say(f"request: {request.url}"))
        page.goto(url)
        return page


def numbers(page, summary, problems):
    """Holds the numbers of the page against the report, and says how many there are."""
    look = page.evaluate(LOOK)
    problems += look["wrong"]
    for pointer, value in look["data"]:
        try:
            there = at(summary, pointer)
        except (KeyError, IndexError, TypeError):
            problems.append(f"{pointer} is not in the report")
            continue
        if there != number(value):
            problems.append(f"{pointer} is {there} in the report, {value} on the page")
    pointers = {pointer for pointer, _ in look["data"]}
    for group in ("counts", "decisions/by_kind"):
        for field in at(summary, "/" + group):
            told = f"/{group}/{field}" in pointers or (field == "listed" and not summary["counts"]["calls"])
            if not told:
                problems.append(f"/{group}/{field} is not on the page")
    return len(look["data"])


def filters(page, summary, problems):
    """Searches and sorts the table of calls."""
    before = page.evaluate(FILTER)
    if not summary["counts"]["calls"]:
        if before["all"] or before["filter"]:
            problems.append("a table of calls without calls")
        return
    if not before["filter"] or before["shown"] != before["all"]:
        problems.append("the table cannot be searched, or does not begin whole")
    blocks = min(summary["decisions"]["by_kind"]["block"], 2000)
    if blocks:
        page.select_option("#f-kind", "block")
        found = page.evaluate(FILTER)
        if found["shown"] != blocks or found["kinds"] != ["block"] or not found["says"].startswith(f"{blocks} of "):
            problems.append(f"the filter shows {found['shown']} of {blocks} blocks")
        page.select_option("#f-kind", "")
    page.fill("#f-text", "no such text anywhere")
    if page.evaluate(FILTER)["shown"]:
        problems.append("the search finds what is not there")
    page.fill("#f-text", "")
    head = page.locator("table.calls thead th").first
    for order in ("ascending", "descending", None):
        head.locator("button").click()
        if head.get_attribute("aria-sort") != order:
            problems.append(f"sorting is not {order}")
        lines = page.evaluate(FILTER)["lines"]
        if order == "descending" and all(line.isdigit() for line in lines):
            if lines != sorted(lines, key=int, reverse=True):
                problems.append("the order is not descending")
    if page.evaluate(FILTER)["lines"] != before["lines"]:
        problems.append("the order does not come back")


def narrow(page, problems):
    """Looks for what is wider than the window."""
    width = page.evaluate("() => document.scrollingElement.scrollWidth")
    if width > 380:
        wide = page.evaluate(
            "() => [...document.querySelectorAll('main *')].filter((e) => !e.closest('.wide, pre') && "
            "e.getBoundingClientRect().right > 381).slice(0, 3).map((e) => e.tagName + '.' + e.className)"
        )
        problems.append(f"{width} pixels wide in a window of 380: {wide}")


def check(browser, plain, path, summary, folder):
    """What is wrong with a page, and how many numbers it has."""
    problems = []
    name = path.stem
    page = browser.open(path)
    count = numbers(page, summary, problems)
    filters(page, summary, problems)
    problems += [f"light: {text}" for text in page.evaluate(CONTRAST)]
    page.screenshot(path=folder / f"{name}-light.png", full_page=True, clip=clip(page))
    page.emulate_media(media="print")
    page.pdf(path=folder / f"{name}.pdf", prefer_css_page_size=True)
    page.screenshot(path=folder / f"{name}-print.png", full_page=True, clip=clip(page))
    page.close()
    page = browser.open(path, scheme="dark")
    problems += [f"dark: {text}" for text in page.evaluate(CONTRAST)]
    page.screenshot(path=folder / f"{name}-dark.png", full_page=True, clip=clip(page))
    page.close()
    page = browser.open(path, width=380)
    narrow(page, problems)
    page.screenshot(path=folder / f"{name}-phone.png", full_page=True, clip=clip(page))
    page.close()
    page = plain.open(path)
    without = page.locator("table.calls tbody tr").count()
    if page.locator("h1").count() != 1 or page.locator(".filter:visible").count():
        problems.append("without scripts it is another page")
    listed = min(summary["counts"]["listed"], 2000)
    if without != listed:
        problems.append(f"without scripts {without} of {listed} calls are there")
    page.close()
    for one in (browser, plain):
        problems += one.complaints
        one.complaints = []
    return problems, count


def clip(page):
    """The first part of a page: the whole of a long one would be no picture."""
    size = page.evaluate("() => [document.documentElement.clientWidth, document.scrollingElement.scrollHeight]")
    return {"x": 0, "y": 0, "width": size[0], "height": min(size[1], 6000)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gate")
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if not shutil.which("chromium"):
        skip("there is no Chromium")
    venv = (arguments.target / "venv").absolute()
    if not sys.prefix.startswith(str(venv)):
        python = interpreter(venv)
        os.execv(python, [python, *sys.argv])
    from playwright.sync_api import sync_playwright

    problems = []
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        scratch = pathlib.Path(scratch)
        browser = Browser(playwright, scratch / "profile")
        plain = Browser(playwright, scratch / "plain", java_script_enabled=False)
        for name, words, status in pages(scratch):
            if arguments.names and name not in arguments.names:
                continue
            path = arguments.target / f"{name}.html"
            command = [arguments.gate, "replay", "--format", "json", "--html", path, "--force", *words]
            begun = time.monotonic()
            done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
            took = time.monotonic() - begun
            if done.returncode != status:
                problems.append(f"{name}: status {done.returncode}, not {status}")
            summary = json.loads(done.stdout)["summary"]
            found, count = check(browser, plain, path, summary, arguments.target)
            problems += [f"{name}: {problem}" for problem in found]
            print(f"  {name}: {path.stat().st_size / 1000:.0f} kB, written in {took:.1f} s, {count} numbers")
        browser.context.close()
        plain.context.close()
    conclude(problems, "every page is as it should be")


if __name__ == "__main__":
    main()
