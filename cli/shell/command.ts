import { Argument, Option } from 'commander'
import type { Output } from './output.ts'
import type { Shell } from './shell.ts'

/** What a command is called with. */
export interface Call<Flags = object> {
  /** Its options and those of the command that it belongs to. */
  readonly flags: Flags
  readonly shell: Shell
  readonly out: Output
}

/**
 * A command of the command line. What it rejects with is said in a sentence, and decides the exit code
 * (docs/command-line.md#exit-codes).
 */
export interface Command {
  readonly description: string
  readonly args?: readonly Argument[]
  /** Commands below it take them, too. */
  readonly options?: readonly Option[]
  /** Shown after the options. */
  readonly help?: string
  /**
   * Resolves to the exit code when that is not 0. Arguments are those that were given, in order.
   *
   * A method, so that a command may name the type of its own flags, which its options give.
   */
  run?(call: Call, ...args: string[]): Promise<number | undefined>
  /** Commands below it by name. */
  readonly commands?: Readonly<Record<string, Command>>
}

export const argument = (name: string, description?: string): Argument => new Argument(name, description)

/** An option. The value is a text; without `<…>` in the flags it is `true` when given. */
export const option = (flags: string, description: string, byDefault?: unknown): Option =>
  new Option(flags, description).default(byDefault)

/** An option that may be given again: its value is a list. */
export const listOption = (flags: string, description: string): Option =>
  new Option(flags, `${description}; may be given again`).argParser(
    (text: string, all: readonly string[] = []) => [...all, text],
  )
