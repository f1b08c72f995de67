import { TransientError, UserError } from '../../functions/lib/errors/errors.ts'
import { Interrupted } from './interrupted.ts'
import { type Shell, sayIn } from './shell.ts'

/** Exit codes of all commands (docs/command-line.md#exit-codes). */
export const exitCodes = { success: 0, userError: 1, applicationError: 2, interrupted: 130 } as const

const fileErrors: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'it may not be read or written',
  EPERM: 'it may not be read or written',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is no folder',
  EEXIST: 'it is there already',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
}

const NOTHING_LISTENS =
  'Nothing listens there: start the service with `npx millrace start`, or give its address with --url or MILLRACE_URL.'

/** The error in one or a few sentences, never with a stack. */
export const sentenceOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const fileError = 'code' in error && typeof error.code === 'string' ? fileErrors[error.code] : undefined
  if (fileError !== undefined && 'path' in error) return `${String(error.path)}: ${fileError}.`
  if (error instanceof TransientError && error.cause !== undefined) {
    const reason = rootMessage(error.cause)
    const remedy = reason.includes('ECONNREFUSED') ? `. ${NOTHING_LISTENS}` : ''
    return `${error.message}: ${reason}${remedy}`
  }
  return error.message || error.name
}

/** `fetch failed` says nothing; its cause names the address and what happened. */
const rootMessage = (error: unknown): string => {
  let current = error
  while (current instanceof Error && current.cause instanceof Error) current = current.cause
  if (!(current instanceof Error)) return String(current)
  const inner = current instanceof AggregateError ? current.errors.at(0) : current
  return inner instanceof Error && inner.message ? inner.message : current.message || current.name
}

const isOfTheUser = (error: unknown): boolean =>
  error instanceof UserError ||
  (error instanceof Error && 'path' in error && 'code' in error && String(error.code) in fileErrors)

/** Writes the error to standard error. Returns the exit code. `MILLRACE_DEBUG` adds the stack. */
export const sayError = (error: unknown, shell: Pick<Shell, 'stderr' | 'environment'>): number => {
  const say = sayIn(shell)
  say(sentenceOf(error))
  if (shell.environment['MILLRACE_DEBUG'] && error instanceof Error) say(error.stack ?? '')
  if (error instanceof Interrupted) return exitCodes.interrupted
  return isOfTheUser(error) ? exitCodes.userError : exitCodes.applicationError
}
