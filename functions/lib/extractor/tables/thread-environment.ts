import { basename, dirname } from 'node:path'

/**
 * The environment of a thread that loads modules. Where compiled code is kept is part of it: Node gives a thread nothing else of what the
 * process has enabled, and a thread that compiles all of its modules again costs five times as much to start.
 *
 * @param compiled what `getCompileCacheDir()` gives: in the folder that was asked for, the one of this version of Node
 */
export const threadEnvironment = (
  environment: NodeJS.ProcessEnv,
  compiled: string | undefined,
): NodeJS.ProcessEnv => {
  if (compiled === undefined) return environment
  const folder = basename(compiled).startsWith(`${process.version}-`) ? dirname(compiled) : compiled
  return { ...environment, NODE_COMPILE_CACHE: folder }
}
