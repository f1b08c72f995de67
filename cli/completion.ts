import { UserError } from '../functions/lib/errors/errors.ts'
import { argument, type Command } from './shell/command.ts'

type Commands = Readonly<Record<string, Command>>

/** `millrace completion`: a script that teaches the shell our commands and options. */
export const completionOf = (loadAll: () => Promise<Commands>): Command => ({
  description: 'print the completion script of a shell: source <(millrace completion bash)',
  args: [argument('<shell>', 'bash, zsh or fish')],
  run: async ({ shell: { stdout } }, name: string) => {
    const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined
    if (!script)
      throw new UserError(
        'cli.usage',
        `There is no completion for "${name}". There is one for bash, zsh and fish.`,
      )
    stdout.write(script(wordsOf(await loadAll())))
    return undefined
  },
})

/** What may follow, by the words before: `''`: commands; `letters`: its commands and options. */
type Words = ReadonlyMap<string, readonly string[]>

const wordsOf = (all: Commands): Words => {
  const words = new Map([['', [...Object.keys(all), '--version', '--help']]])
  const walk = (commands: Commands, path: string, inherited: readonly string[]): void => {
    for (const [name, { options = [], commands: below = {} }] of Object.entries(commands)) {
      const here = `${path} ${name}`.trim()
      const own = [...inherited, ...options.flatMap(({ long }) => long ?? [])]
      words.set(here, [...Object.keys(below), ...own, '--help'])
      walk(below, here, own)
    }
  }
  walk(all, '', [])
  return words
}

const cases = (words: Words, line: (path: string, options: string) => string): string =>
  [...words].map(([path, options]) => line(path, [...new Set(options)].join(' '))).join('\n')

const bash = (words: Words): string => `# millrace: completion for bash
_millrace() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) [ -z "$path" ] && path="$word" || { case "$path" in *" "*) ;; *) path="$path $word" ;; esac; } ;; esac
  done
  local options
  case "$path" in
${cases(words, (path, options) => `    "${path}") options="${options}" ;;`)}
    *) case "\${path%% *}" in
${cases(new Map([...words].filter(([path]) => path !== '' && !path.includes(' '))), (path, options) => `      "${path}") options="${options}" ;;`)}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$options" -- "$current"))
}
complete -o default -F _millrace millrace
`

const zsh = (words: Words): string => `#compdef millrace
autoload -U +X bashcompinit && bashcompinit
${bash(words)}`

const fish = (words: Words): string => {
  const lines = [...words].flatMap(([path, options]) => {
    const condition =
      path === ''
        ? '__fish_use_subcommand'
        : path
            .split(' ')
            .map(name => `__fish_seen_subcommand_from ${name}`)
            .join('; and ')
    return [...new Set(options)].map(option =>
      option.startsWith('--')
        ? `complete -c millrace -n '${condition}' -l ${option.slice(2)}`
        : `complete -c millrace -f -n '${condition}' -a ${option}`,
    )
  })
  return `# millrace: completion for fish\n${lines.join('\n')}\n`
}

const scripts: Readonly<Record<string, (words: Words) => string>> = { bash, zsh, fish }
