import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createExtractConsole } from '#cli/extract-console.ts'
import { main } from '#cli/main.ts'
import { confirm, maySend } from '#cli/shell/ask.ts'
import { createOutput, type Output } from '#cli/shell/output.ts'
import { printableTo } from '#cli/shell/printable.ts'
import { sayError } from '#cli/shell/say-error.ts'
import { sayIn, type TextStream } from '#cli/shell/shell.ts'
import type { ExtractSummary } from '#lib/extractor/run/extract.ts'

/** Sets the title of the window, clears the screen, goes back, rings, and colours: with one byte for `ESC [`, too. */
const HOSTILE = 'a\u001b]0;owned\u0007\u001b[2J\r\b\u009b31m\u007fz'
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not come through
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

/** Headings are bold, by escapes of our own. */
const stripBold = (text: string) => text.replaceAll('\u001b[1m', '').replaceAll('\u001b[22m', '')

const terminal = (isTTY = true) => {
  const written: string[] = []
  const stream: TextStream = Object.assign(
    new Writable({
      write: (chunk, _, done) => {
        written.push(String(chunk))
        done()
      },
    }),
    { isTTY, columns: 200 },
  )
  return { stream, text: () => written.join('') }
}

describe('words of others reach a terminal without what steers it', () => {
  const outputs: Record<string, (out: Output) => void> = {
    line: out => out.line(`${HOSTILE}\n${HOSTILE}`),
    say: out => out.say(HOSTILE),
    table: out => out.table([HOSTILE], [[HOSTILE]]),
    fields: out => out.fields({ name: HOSTILE }),
    json: out => out.show({ [HOSTILE]: HOSTILE }, () => out.line(HOSTILE)),
  }
  it.each(Object.entries(outputs))('%s', (name, write) => {
    const { stream, text } = terminal()
    write(createOutput(name === 'json', stream, stream))
    const shown = stripBold(text())
    expect(shown).toContain('z')
    expect(shown).not.toMatch(CONTROLS)
    if (name === 'json') expect(JSON.parse(text())).toEqual({ [HOSTILE]: HOSTILE })
  })

  it('remarks and errors, which is also how the embedded cloud says how work ended', () => {
    const { stream, text } = terminal()
    sayIn({ stderr: stream })(HOSTILE)
    sayError(new Error(HOSTILE), { stderr: stream, environment: { MILLRACE_DEBUG: '1' } })
    expect(text()).not.toMatch(CONTROLS)
  })

  it.each([true, false])('what an extraction says, on a terminal: %s', isTTY => {
    const out = terminal(isTTY)
    const errors = terminal()
    const shown = createExtractConsole({ stdout: out.stream, stderr: errors.stream, environment: {} })
    shown.log({ level: 'warning', message: HOSTILE, context: { said: HOSTILE } })
    shown.progress({ pages: 1, rows: 1, retries: 0, requests: 1, waitedSeconds: 0, url: HOSTILE })
    shown.failed(new Error(HOSTILE))
    shown.print(HOSTILE)
    const job = {
      ...{ job: HOSTILE, endpoint: HOSTILE, dataType: HOSTILE, runs: 1, pages: 1, rows: 1 },
      ...{ ended: { [HOSTILE]: 1 }, said: { times: 1, messages: [HOSTILE] } },
    }
    shown.summary({
      ...{ jobs: [job], rows: 1, retries: 0, tables: [{ name: HOSTILE, rows: 1 }] },
      traffic: { requests: 1, waits: 1, waitedSeconds: 1 },
    } as unknown as ExtractSummary) // only what is shown of it
    if (isTTY) expect(out.text().replaceAll('\r\u001b[2K', '')).not.toMatch(CONTROLS)
    expect(errors.text()).not.toMatch(CONTROLS)
  })

  it('a download to a terminal; anywhere else it keeps its bytes', async () => {
    for (const isTTY of [true, false]) {
      const { stream, text } = terminal(isTTY)
      await new Promise(done => printableTo(stream).write(Buffer.from(HOSTILE), done))
      expect(text() === HOSTILE).toBe(!isTTY)
      expect(CONTROLS.test(text())).toBe(!isTTY)
    }
  })
})

/** Each has a way of its own: it writes what is above, bytes of a file, or words of ours only. */
const WRITERS = [
  ...['completion.ts', 'execute.ts', 'extract-console.ts', 'main.ts', 'start.ts'],
  ...['shell/ask.ts', 'shell/output.ts', 'shell/printable.ts', 'shell/progress.ts', 'shell/shell.ts'],
  ...['transfer/download-file.ts', 'transfer/run-upload.ts'],
]

describe.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s at a question', (_, key) => {
  const asked = () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    stdin.end(key)
    const { stream: stderr, text } = terminal()
    const none = new AbortController().signal
    return {
      text,
      shell: {
        stdin,
        stderr,
        stdout: stderr,
        environment: {},
        workingFolder: '/',
        onInterrupt: () => none,
      },
    }
  }

  it('says no to what takes something away, and to a request', async () => {
    const { shell } = asked()
    await expect(confirm('Rows go.', 'orders', { flags: {}, shell })).rejects.toThrow('Nothing was done.')
    expect(await maySend('Send it?', asked().shell)).toBe(false)
  })

  it('gives no token', async () => {
    const { shell, text } = asked()
    const code = await main(['login', '--url', 'http://127.0.0.1:1'], shell)
    expect([code, text()]).toEqual([1, expect.stringContaining('No token was given.')])
  })
})

it('no other file of the command writes to a stream by itself', () => {
  const folder = join(import.meta.dirname, '../../cli')
  const writers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .filter(name => /\.write\(|console\.(log|error)\(/.test(readFileSync(join(folder, name), 'utf8')))
    .filter(name => !['run-extract.ts', 'recorded-run.ts'].includes(name)) // their console is the one above
  expect(writers.sort()).toEqual(WRITERS.sort())
})
