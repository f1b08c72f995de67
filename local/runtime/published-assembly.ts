import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './project-root.ts'

/** Below the root of the published package: cloud assemblies, for there are no sources to make them from. */
export const assembliesFolder = 'assemblies'

/** The folder of the assembly for this address, in `assembliesFolder`. */
export const assemblyName = (bind: string): string => (isLoopback(bind) ? 'this-machine' : 'network')

/**
 * The cloud assembly that the published package brings. Undefined in a checkout.
 *
 * Throws for another stack configuration, which only a checkout can make.
 */
export const publishedAssembly = (
  bind: string,
  context: Readonly<Record<string, unknown>> = {},
): string | undefined => {
  const folder = join(projectRoot, assembliesFolder)
  if (!existsSync(folder)) return undefined
  if (Object.keys(context).length > 0)
    throw new Error(
      'MILLRACE_CONTEXT makes another stack: that takes a checkout of Millrace (npm ci, then npm start).',
    )
  return join(folder, assemblyName(bind))
}

const loopback = ['127.0.0.1', '::1', 'localhost']

/** Whether only this machine reaches what listens at the address. */
const isLoopback = (bind: string): boolean => loopback.includes(bind)

/**
 * Extractions refuse addresses that are not on the public internet, for their configurations may come from anybody who
 * reaches the API. While only this machine does, its own addresses are the developer's, and the API to read is often one.
 */
export const stackContext = (bind: string, context: Readonly<Record<string, unknown>> = {}) => ({
  context,
  // Nothing expires on one machine, so versions of deleted objects would fill its disk.
  defaults: { tableVersionDays: 0, ...(isLoopback(bind) && { extractorAllowedHosts: loopback }) },
})
