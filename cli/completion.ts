import { UserError } from '../functions/lib/errors/errors.ts'
import { type Command, command, longName } from './shell/command.ts'

type Commands = Readonly<Record<string, Command>>

/** `millrace completion`: a script that teaches the shell our commands and options. */
export const completionOf = (loadAll: () => Promise<Commands>): Command =>
  command({
    description: 'print the completion script of a shell: source <(millrace completion bash)',
    args: { '<shell>': 'bash, zsh or fish' },
    run: async ({ shell: { stdout } }, name) => {
      const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined
      if (!script)
        throw new UserError(
          'cli.usage',
          `There is no completion for "${name}". There is one for bash, zsh and fish.`,
        )
      stdout.write(script(wordsOf(await loadAll())))
    },
  })

/** What may follow, by the words before: `''`: commands; `letters`: its commands and options. */
type Words = ReadonlyMap<string, readonly string[]>

const wordsOf = (all: Commands): Words => {
  const words = new Map([['', [...Object.keys(all), '--version', '--help']]])
  const walk = (commands: Commands, path: string, inherited: readonly string[]): void => {
    for (const [name, { options = {}, commands: below = {} }] of Object.entries(commands)) {
      const here = `${path} ${name}`.trim()
      const own = [...new Set([...inherited, ...Object.keys(options).map(longName)])]
      words.set(here, [...Object.keys(below), ...own, '--help'])
      walk(below, here, own)
    }
  }
  walk(all, '', [])
  return words
}

/** The words that are no options name the command; arguments come after it, so the longest name that is one wins. */
const bash = (words: Words): string => `# millrace: completion for bash
_millrace() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" options="" word
  for word in "" "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) continue ;; esac
    path="\${path:+$path }$word"
    case "$path" in
${[...words].map(([path, following]) => `      "${path}") options="${following.join(' ')}" ;;`).join('\n')}
    esac
  done
  COMPREPLY=($(compgen -W "$options" -- "$current"))
}
complete -o default -F _millrace millrace
`

const zsh = (words: Words): string => `#compdef millrace
autoload -U +X bashcompinit && bashcompinit
${bash(words)}`

const fish = (words: Words): string => {
  const lines = [...words].flatMap(([path, following]) => {
    const seen = path.split(' ').map(name => `__fish_seen_subcommand_from ${name}`)
    const condition = path === '' ? '__fish_use_subcommand' : seen.join('; and ')
    return following.map(word => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
      return `complete -c millrace${word.startsWith('--') ? '' : ' -f'} -n '${condition}' ${what}`
    })
  })
  return `# millrace: completion for fish\n${lines.join('\n')}\n`
}

const scripts: Readonly<Record<string, (words: Words) => string>> = { bash, zsh, fish }
