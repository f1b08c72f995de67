import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runMillrace } from '../support/millrace.ts'

const guide = readFileSync('docs/command-line.md', 'utf8')
const examples = guide
  .split('```')
  .filter((_, index) => index % 2 === 1)
  .join('\n')

/** Each command with its options, as the completion of bash lists them. */
const readCommands = async (): Promise<{ command: string; options: string[] }[]> => {
  const { stdout } = await runMillrace(['completion', 'bash'])
  const [paths = ''] = stdout.split('*) case')
  return [...paths.matchAll(/^ +"([^"]+)"\) options="([^"]*)"/gm)].map(([, command = '', options = '']) => ({
    command,
    options: options.split(' '),
  }))
}

describe('the guide to the command line', () => {
  it('has an example of every command, and of no other', async () => {
    const commands = await readCommands()
    expect(commands.length).toBeGreaterThan(30)
    const missing = commands.filter(
      ({ command }) => !new RegExp(`millrace ${command}( |\\n|$)`, 'm').test(examples),
    )
    expect(missing.map(({ command }) => command)).toEqual([])

    const known = new Set(['completion', ...commands.map(({ command }) => command.split(' ')[0])])
    const named = [...examples.matchAll(/npx millrace ([a-z][a-z-]*)/g)].map(([, name]) => name)
    expect(named.filter(name => !known.has(name))).toEqual([])
  })

  it('uses only options that exist', async () => {
    const commands = await readCommands()
    const wrong = examples.split('\n').flatMap(line => {
      const words = /npx millrace ([^#|]*?)(?: {2,}#|$)/.exec(line)?.[1]?.split(' ') ?? []
      const { options = [] } =
        commands.find(({ command }) => command === words.slice(0, 2).join(' ')) ??
        commands.find(({ command }) => command === words[0]) ??
        {}
      return words.filter(word => /^--[a-z]/.test(word) && word !== '--version' && !options.includes(word))
    })
    expect(wrong).toEqual([])
  })
})
