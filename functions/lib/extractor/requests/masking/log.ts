import type { Masker } from './masker.ts'

type LogLevel = 'debug' | 'info' | 'warning' | 'error'

/** One line of the log. `context` is plain JSON. */
export interface LogRecord {
  level: LogLevel
  message: string
  context?: Record<string, unknown>
}

export interface Log {
  debug(message: string, context?: Record<string, unknown>): void
  info(message: string, context?: Record<string, unknown>): void
  warning(message: string, context?: Record<string, unknown>): void
}

/** A log whose messages and context pass the masker first, so that no call site can forget it. */
export const createLog = (write: (record: LogRecord) => void, masker: Masker, debug: boolean): Log => {
  const at = (level: LogLevel) => (message: string, context?: Record<string, unknown>) => {
    write({
      level,
      message: masker.mask(message),
      ...(context === undefined ? {} : { context: masker.maskAll(context) as Record<string, unknown> }), // maskAll keeps the shape
    })
  }
  return { debug: debug ? at('debug') : () => {}, info: at('info'), warning: at('warning') }
}
