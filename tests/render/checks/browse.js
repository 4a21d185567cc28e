// Opens HTML reports in Chromium as a reader would, and prints what it finds as one JSON object:
//   node browse.js CHROMIUM FILE...        with axe-core and playwright-core on NODE_PATH
// Every file is seen in light and dark at three widths; axe-core looks for violations of WCAG 2.2 A and AA.
"use strict";
const path = require("path");
const { pathToFileURL } = require("url");
const { chromium } = require("playwright-core");

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"];
const SCHEMES = ["light", "dark"];
const WIDTHS = [360, 768, 1400];
const AXE = path.join(path.dirname(require.resolve("axe-core")), "axe.min.js");
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
  "--disable-background-networking", "--disable-component-update"];

const found = (rules) => rules.flatMap((rule) => rule.nodes.map((node) =>
  ({ rule: rule.id, target: node.target.join(" "), why: [...node.any, ...node.all, ...node.none].map((check) => check.message) })));

// Runs in the page. How many characters the lines of running text hold, by number of lines: lengths[75] lines have 75.
function lineLengths(selector) {
  const lengths = {};
  for (const block of document.querySelectorAll(selector)) {
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    let middle = null, length = 0;
    const end = () => { if (length) lengths[length] = (lengths[length] || 0) + 1; };
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const boxesOf = (start, text) => {
        range.setStart(node, start);
        range.setEnd(node, start + text.trimEnd().length);
        return range.getClientRects();
      };
      for (const word of node.data.matchAll(/\S+\s*/g)) {
        // A word that is broken over lines is counted letter by letter.
        const parts = boxesOf(word.index, word[0]).length > 1 ? [...word[0].matchAll(/\S\s*/gu)] : [[word[0]]];
        for (const part of parts) {
          const box = boxesOf(word.index + (part.index || 0), part[0])[0];
          if (!box) continue; // not shown at this width
          if (middle !== null && box.top >= middle) { end(); length = 0; }
          length += part[0].length;
          middle = (box.top + box.bottom) / 2; // boxes of one line overlap those of the next where lines stand close
        }
      }
    }
    end();
  }
  return lengths;
}

// Runs in the page. Texts whose colour is too near the ground that lies behind them, by WCAG's formula. axe-core leaves
// those undecided that stand over a cell that sticks, are one sign long, or are signs only.
function faintTexts() {
  const channels = (text) => { const found = text.match(/[\d.]+/g).map(Number); return found.length < 4 ? [...found, 1] : found; };
  const linear = (value) => (value /= 255, value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = channels(getComputedStyle(one).backgroundColor);
      if (colour[3] === 1) return colour;
      if (colour[3] > 0) return [127, 127, 127, 1]; // no part of the report is translucent; one that is fails
    }
    return [255, 255, 255, 1];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const faint = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || ["SCRIPT", "STYLE"].includes(element.tagName) || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const [light, dark] = [luminance(channels(style.color)), luminance(ground(element))].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) faint.push({ text: node.data.trim().slice(0, 40), ratio });
  }
  return faint;
}

async function look(page, width) {
  await page.setViewportSize({ width, height: 900 });
  await page.evaluate(() => window.scrollTo(0, 0));
  const axe = await page.evaluate((tags) => window.axe.run(document, {
    runOnly: { type: "tag", values: tags },
    rules: { "target-size": { enabled: true } },
    resultTypes: ["violations", "incomplete"],
  }), TAGS);
  const layout = await page.evaluate(async () => {
    const root = document.documentElement;
    const contents = document.querySelector("nav.contents");
    const box = () => (contents || root).getBoundingClientRect(); // a page of tables has no contents
    const atTop = box().top;
    window.scrollTo(0, root.scrollHeight / 2);
    const scrolled = box();
    return {
      overflow: root.scrollWidth - root.clientWidth,
      contentsTop: atTop,
      contentsStays: Boolean(contents) && scrolled.top >= 0 && scrolled.top < 100 && scrolled.bottom <= window.innerHeight,
      lines: lineLengths("p, .limits > li, caption, figcaption, td, th, summary"),
      faint: faintTexts(),
      brokenImages: [...document.images].filter((image) => !image.complete || !image.naturalWidth).length,
      background: getComputedStyle(document.body).backgroundColor,
      closedDetails: document.querySelectorAll("details:not([open])").length,
    };
  });
  return { width, violations: found(axe.violations), incomplete: found(axe.incomplete), ...layout };
}

async function visit(browser, file) {
  const page = await browser.newPage({ viewport: { width: WIDTHS[0], height: 900 } });
  const requests = [], complaints = [];
  page.on("request", (request) => requests.push(request.url().slice(0, 200)));
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  const views = [];
  for (const scheme of SCHEMES) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(pathToFileURL(file).href, { waitUntil: "load" });
    await page.evaluate(() => document.fonts.ready);
    await page.addScriptTag({ path: AXE });
    await page.evaluate(`window.lineLengths = ${lineLengths}; window.faintTexts = ${faintTexts};`);
    for (const width of WIDTHS) views.push({ scheme, ...(await look(page, width)) });
  }
  await page.close();
  return { file, views, complaints, requests: requests.filter((url) => !url.startsWith("data:")) };
}

(async () => {
  const [executablePath, ...files] = process.argv.slice(2);
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  const visits = [];
  for (const file of files) visits.push(await visit(browser, file));
  const version = browser.version();
  await browser.close();
  process.stdout.write(JSON.stringify({ chromium: version, axe: require("axe-core/package.json").version, visits }));
})().catch((error) => { console.error(error); process.exit(1); });
