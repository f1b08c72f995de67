import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { startCloud } from '../bench/start-cloud.ts'

/**
 * `npm run recording`: runs these commands on an embedded cloud of its own and writes what a terminal shows to `docs/images/first-table.svg`, a
 * picture that moves. It prints the commands and what they say, too.
 */
const COMMANDS = [
  'printf \'id,name\\n1,Zoë\\n2,"Smith, John"\\n\' > people.csv',
  'millrace upload people.csv --table in.c-main.people --primary-key id',
  "millrace query 'SELECT * FROM in.c-main.people'",
  "printf 'id,name\\n2,Joan Smith\\n3,Li\\n' > more.csv",
  'millrace upload more.csv --table in.c-main.people --incremental',
  "millrace query 'SELECT * FROM in.c-main.people ORDER BY id'",
  "printf 'id,name\\n4,Ada,too many\\n' > broken.csv",
  'millrace upload broken.csv --table in.c-main.people --incremental',
]

const project = join(import.meta.dirname, '../../..')
const picture = join(project, 'docs/images/first-table.svg')

interface Line {
  text: string
  isCommand: boolean
}

const folder = await mkdtemp(join(tmpdir(), 'millrace-recording-'))
const cloud = await startCloud(join(folder, '.millrace'))
try {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  // What users call by npx, in this checkout.
  const command = join(bin, 'millrace')
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${join(project, 'cli/bin.js')}' "$@"\n`)
  await chmod(command, 0o755)
  const lines: Line[] = []
  for (const given of COMMANDS) {
    lines.push({ text: given, isCommand: true })
    const shown = await runInShell(given, bin)
    lines.push(...shown.split('\n').flatMap(text => (text === '' ? [] : [{ text, isCommand: false }])))
  }
  for (const { text, isCommand } of lines) console.log(isCommand ? `$ ${text}` : text)
  await writeFile(picture, draw(lines.flatMap(fold)))
} finally {
  await cloud.stop()
  await rm(folder, { recursive: true, force: true })
}

/** In a terminal of 104 columns (`script` makes one), so that commands speak as they do to people. */
function runInShell(given: string, bin: string): Promise<string> {
  const shell = spawn('script', ['-qec', `stty cols 104 2>/dev/null; ${given}`, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}`, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let shown = ''
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  return new Promise((resolve, reject) => {
    shell.once('error', reject).once('close', () => resolve(settled(shown)))
  })
}

/** What stands there at last: progress writes over its own line. */
function settled(shown: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of terminals begin with one.
  const plain = shown.replaceAll(/\x1b\[[\d;?]*[A-Za-z]/g, '')
  return plain
    .split(/\r?\n/)
    .map(line => line.split('\r').findLast(part => part.trim() !== '') ?? '')
    .map(line => line.trimEnd())
    .join('\n')
}

function fold({ text, isCommand }: Line): Line[] {
  const parts = text.match(/.{1,104}(?:\s|$)|.{1,104}/gu) ?? ['']
  return parts.map((part, index) => ({
    text: index === 0 ? part : `  ${part}`,
    isCommand: isCommand && index === 0,
  }))
}

function draw(lines: Line[]): string {
  const height = 22 * lines.length + 32
  // A command takes a while to type, and what it says comes at once.
  let now = 0
  const times = lines.map(({ isCommand }) => {
    now += isCommand ? 1.6 : 0.25
    return now
  })
  const all = now + 5
  const rows = lines.map(({ text, isCommand }, index) => {
    const shown = `<tspan class="p">${isCommand ? '$ ' : ''}</tspan>${escaped(text)}`
    const values = `<animate attributeName="opacity" dur="${all.toFixed(2)}s" repeatCount="indefinite" calcMode="discrete" keyTimes="0;${((times[index] ?? 0) / all).toFixed(4)}" values="0;1"/>`
    return `<text x="16" y="${22 * index + 32}" xml:space="preserve"${isCommand ? ' class="c"' : ''}>${shown}${values}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 920 ${height}" role="img" aria-label="A terminal: a file becomes a table">
<style>text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#c9d1d9}.c{fill:#fff}.p{fill:#7ee787}</style>
<rect width="920" height="${height}" rx="8" fill="#0d1117"/>
${rows.join('\n')}
</svg>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
