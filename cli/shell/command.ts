import { UserError } from '../../functions/lib/errors/errors.ts'
import type { Output } from './output.ts'
import type { Shell } from './shell.ts'

/** What a command is called with. */
export interface Call<Flags = object> {
  /** Its options and those of the command that it belongs to. */
  readonly flags: Flags
  readonly shell: Shell
  readonly out: Output
}

/** An option. Its key among the options of a command is its name: `inPlace` is `--in-place`. */
export interface CommandOption<Value> {
  readonly description: string
  /** What the help shows for its value, such as `<id>`. An option without one is `true` when it is given. */
  readonly value?: string
  readonly short?: string
  readonly choices?: readonly string[]
  readonly isRequired?: boolean
  readonly byDefault?: Value
  /** Reads a text that was given; `before` is what it was given before. Methods let options of any values stand in one list. */
  read?(text: string, before: Value): Value
}

export type CommandOptions = Readonly<Record<string, CommandOption<unknown>>>

export type FlagsOf<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends CommandOption<infer Value> ? Value : never
}

/**
 * A command of the command line. What it rejects with is said in a sentence, and decides the exit code
 * (docs/command-line.md#exit-codes).
 */
export interface Command {
  readonly description: string
  /** What it takes, such as `<table>` or `[id...]`, with a description of each. */
  readonly args?: Readonly<Record<string, string>>
  /** Commands below it take them, too. */
  readonly options?: CommandOptions
  /** Shown after the options. */
  readonly help?: string
  /** Resolves to the exit code when that is not 0. Arguments are those that were given, in order. */
  run?(call: Call, ...args: string[]): Promise<number | undefined>
  /** Commands below it by name. */
  readonly commands?: Readonly<Record<string, Command>>
}

/** A command whose `run` is called with these. */
export type CommandWith<Options, Called> = Omit<Command, 'options' | 'run'> & {
  readonly options?: Options
  readonly run?: (call: Called, ...args: string[]) => Promise<number | undefined>
}

/** A command that reads its flags as its options give them. */
export const command = <Options extends CommandOptions>(
  described: CommandWith<Options, Call<FlagsOf<Options>>>,
): Command => described

export const flag = (description: string, short?: string): CommandOption<boolean | undefined> => ({
  description,
  ...(short !== undefined && { short }),
})

type TextOption = Omit<Partial<CommandOption<string>>, 'read'>

/** An option whose value is a text. */
export const option: {
  (value: string, description: string, more: TextOption & GivesValue): CommandOption<string>
  (value: string, description: string, more?: TextOption): CommandOption<string | undefined>
} = (value: string, description: string, more: TextOption = {}): CommandOption<string> => ({
  value,
  description,
  ...more,
})
type GivesValue = { readonly byDefault: string } | { readonly isRequired: true }

export const number = <Default extends number | undefined = undefined>(
  value: string,
  description: string,
  byDefault?: Default,
): CommandOption<number | Default> => ({
  value,
  description,
  read: wholeNumber,
  ...(byDefault !== undefined && { byDefault }),
})

/** It may be given again: its value is a list. */
export const listOption = (value: string, description: string): CommandOption<string[] | undefined> => ({
  value,
  description: `${description}; may be given again`,
  read: (text, before = []) => [...before, text],
})

export const commaOption = (value: string, description: string): CommandOption<string[] | undefined> => ({
  value,
  description,
  read: commaList,
})

export const wholeNumber = (text: string): number => {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new UserError('cli.usage', `"${text}" is not a whole number.`)
}

const commaList = (text: string): string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(Boolean)

/** `inPlace` becomes `--in-place`. */
export const longName = (key: string): string =>
  `--${key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
