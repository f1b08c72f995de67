import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../project-root.ts'
import type { FunctionDefinition } from './function-definition.ts'

/** The function to debug, and the port for the debugger. */
export interface DebuggedFunction {
  /** Folder below `functions/`. */
  readonly name: string
  readonly inspectorPort: number
}

/** The default of Node's `--inspect`, where editors look. */
const DEFAULT_INSPECTOR_PORT = 9229

/** `run-job` or `run-job:9300`. Undefined for anything else. */
export const parseDebuggedFunction = (text: string): DebuggedFunction | undefined => {
  const [, name, port] = /^([a-z][a-z0-9-]*)(?::(\d{1,5}))?$/.exec(text) ?? []
  const inspectorPort = port === undefined ? DEFAULT_INSPECTOR_PORT : Number(port)
  return name === undefined || inspectorPort > 65_535 ? undefined : { name, inspectorPort }
}

/** A day: stepping through code takes longer than Lambda allows. */
const DAY_SECONDS = 86_400

/**
 * The definitions, one of them ready for a debugger: it runs from its source, so that breakpoints are in the files that
 * are edited, in one container and without a time limit.
 *
 * Throws when no function has the name.
 */
export const withDebugged = (
  definitions: readonly FunctionDefinition[],
  debugged: DebuggedFunction,
): FunctionDefinition[] => {
  const names = definitions.map(({ modulePath }) => sourceFolder(modulePath))
  if (!names.includes(debugged.name))
    throw new Error(
      `MILLRACE_DEBUG: there is no function "${debugged.name}". There are: ${names.filter(Boolean).toSorted().join(', ')}.`,
    )
  return definitions.map((definition, index) =>
    names[index] === debugged.name
      ? {
          ...definition,
          modulePath: join(projectRoot, 'functions', debugged.name, 'handler.ts'),
          inspectorPort: debugged.inspectorPort,
          concurrency: 1,
          timeoutSeconds: DAY_SECONDS,
        }
      : definition,
  )
}

/** The folder that a bundle was made from, which its source map names. */
const sourceFolder = (modulePath: string): string | undefined => {
  const { sources } = JSON.parse(readFileSync(`${modulePath}.map`, 'utf8')) as { sources: string[] } // esbuild's own format
  for (const source of sources) {
    const [, name] = /\/functions\/([^/]+)\/handler\.ts$/.exec(source) ?? []
    if (name !== undefined) return name
  }
  return undefined
}
