import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Debian's package `chromium`; another one by `MILLRACE_TEST_CHROMIUM`. */
const executablePath = process.env['MILLRACE_TEST_CHROMIUM'] || '/usr/bin/chromium'

export const hasBrowser = existsSync(executablePath)

if (!hasBrowser)
  console.warn(
    `No Chromium at ${executablePath}: tests of pages are skipped. apt-get install chromium brings it.`,
  )

export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath, args: ['--no-sandbox'] })

/** What axe finds wrong with a page, by rule and element. */
export const accessibilityProblems = async (page: Page): Promise<string[]> => {
  // The page's policy allows no script of others, so it is evaluated by the browser itself.
  await page.evaluate(axe.source)
  const found = await page.evaluate('axe.run(document)')
  const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] } // as axe documents it
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
