// Chromium, windows of both widths, and axe.

import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";

export const PHONE = { width: 390, height: 844 };
export const DESK = { width: 1280, height: 900 };

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });

/** Signs a browser window in with a link. */
export async function signIn(page, link) {
    await page.goto(link);
    await page.locator("main button.primary").click();
    await page.locator(".listing h1").waitFor();
}

/** What axe finds wrong on a page, by the rules of WCAG 2.2 AA, in words. */
export async function checkAccess(page, where) {
    const { violations } = await new AxeBuilder({ page })
        .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
        .analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.failureSummary}`).join("; ")}`);
    assert.deepEqual(found, [], where);
}

/** Nothing sticks out to the right. */
export async function checkWidth(page, where) {
    const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(content <= window, `${where}: ${content} pixels wide in a window of ${window}`);
}

/** Errors of scripts and of the content security policy. */
export function watch(page) {
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => {
        if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) errors.push(message.text());
    });
    return errors;
}
