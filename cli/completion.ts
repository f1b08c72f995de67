import type { Command } from 'commander'
import { UserError } from '../functions/lib/errors/errors.ts'
import { sayError } from './output/say-error.ts'

/** `millrace completion`: a script that teaches the shell our commands and options. */
export const registerCompletion = (program: Command, loadAll: () => Promise<void>): void => {
  program
    .command('completion')
    .description('print the completion script of a shell: source <(millrace completion bash)')
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell: string) => {
      try {
        const script = scripts[shell]
        if (!script)
          throw new UserError(
            'cli.usage',
            `There is no completion for "${shell}". There is one for bash, zsh and fish.`,
          )
        await loadAll()
        process.stdout.write(script(wordsOf(program)))
      } catch (error) {
        process.exitCode = sayError(error)
      }
    })
}

/** What may follow, by the words before: `''`: commands; `letters`: its commands and options. */
type Words = ReadonlyMap<string, readonly string[]>

const wordsOf = (program: Command): Words => {
  const words = new Map<string, string[]>()
  const walk = (command: Command, path: string, inherited: readonly string[]): void => {
    const options = [...inherited, ...command.options.flatMap(({ long }) => long ?? [])]
    words.set(path, [...command.commands.map(child => child.name()), ...options, '--help'])
    for (const child of command.commands)
      walk(child, `${path} ${child.name()}`.trim(), path === '' ? [] : options)
  }
  walk(program, '', [])
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
