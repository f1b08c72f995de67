import { Command as CommanderCommand, CommanderError, Option } from 'commander'
import { hintAt } from '../functions/lib/errors/did-you-mean.ts'
import { UserError } from '../functions/lib/errors/errors.ts'
import packageJson from '../package.json' with { type: 'json' }
import { loadCommands } from './commands.ts'
import { type Call, type Command, type CommandOption, longName } from './shell/command.ts'
import { createOutput } from './shell/output.ts'
import { exitCodes, sayError } from './shell/say-error.ts'
import type { Shell } from './shell/shell.ts'

/** Runs the command line `millrace ARGS…`. Resolves to its exit code. */
export const main = async (args: readonly string[], shell: Shell): Promise<number> => {
  let code: number = exitCodes.success
  const program = createProgram(shell)
  try {
    for (const [name, command] of Object.entries(await loadCommands(args[0] ?? '')))
      add(program, name, command, async (called, by, given) => {
        const flags = by.optsWithGlobals()
        const out = createOutput('json' in flags && flags.json === true, shell.stdout, shell.stderr)
        code = (await called({ flags, shell, out }, ...given)) ?? exitCodes.success
      })
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    // Of the help, the version and wrong arguments: Commander has said it.
    if (error instanceof CommanderError) return error.exitCode
    return sayError(error, shell)
  }
}

const createProgram = ({ stdout, stderr }: Shell): CommanderCommand =>
  new CommanderCommand('millrace')
    .configureOutput({
      writeOut: text => void stdout.write(text),
      writeErr: text => void stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? 80,
      getErrHelpWidth: () => stderr.columns ?? 80,
      getOutHasColors: () => stdout.isTTY === true,
      getErrHasColors: () => stderr.isTTY === true,
    })
    .exitOverride()
    .description('Drop a file, get a table: the one-machine cloud and its tools')
    .version(packageJson.version)
    .showHelpAfterError()
    .configureHelp({ showGlobalOptions: true })

type WhenCalled = (
  run: (call: Call, ...args: string[]) => Promise<number | undefined>,
  by: CommanderCommand,
  args: string[],
) => Promise<void>

const add = (parent: CommanderCommand, name: string, command: Command, whenCalled: WhenCalled): void => {
  const { description, args = {}, options = {}, help, run, commands = {} } = command
  const added = parent.command(name).description(description)
  for (const [arg, what] of Object.entries(args)) added.argument(arg, what)
  for (const [key, each] of Object.entries(options)) added.addOption(optionOf(key, each))
  if (help !== undefined) added.addHelpText('after', `\n${help}`)
  const names = Object.keys(commands)
  const takesNone = Object.keys(args).length === 0
  if (run)
    added.allowExcessArguments(takesNone && names.length > 0).action(() => {
      const [unknown] = takesNone ? added.args : []
      if (unknown !== undefined)
        throw new UserError(
          'cli.usage',
          `There is no command "${name} ${unknown}"${hintAt(unknown, names)}. There are: ${names.join(', ')}.`,
        )
      const given = added.processedArgs.flat().filter(value => value !== undefined)
      return whenCalled(run, added, given)
    })
  for (const [childName, child] of Object.entries(commands)) add(added, childName, child, whenCalled)
}

const optionOf = (
  key: string,
  { description, value, short, choices, isRequired = false, byDefault, read }: CommandOption<unknown>,
): Option => {
  const names = short === undefined ? longName(key) : `-${short}, ${longName(key)}`
  const made = new Option(value === undefined ? names : `${names} ${value}`, description)
  made.negate = false // Commander would give --no-header as `header`.
  if (choices) made.choices([...choices])
  if (read) made.argParser(read)
  return made.default(byDefault).makeOptionMandatory(isRequired)
}
