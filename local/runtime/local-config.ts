import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readStackConfig, type StackConfig } from '../../infra/stack-config.ts'
import { projectRoot } from './project-root.ts'

const loopback = ['127.0.0.1', '::1', 'localhost']

/** Whether only this machine reaches what listens at the address. */
const isLoopback = (bind: string): boolean => loopback.includes(bind)

const cdkFile = z.looseObject({ context: z.record(z.string(), z.unknown()).default({}) })

/** The project's own, in a checkout. */
const projectContext = (): Record<string, unknown> => {
  const path = join(projectRoot, 'cdk.json')
  return existsSync(path) ? cdkFile.parse(JSON.parse(readFileSync(path, 'utf8'))).context : {}
}

/**
 * The configuration of the system on this machine: that of cdk.json with `context` over it, and defaults of its own.
 *
 * Extractions refuse addresses that are not on the public internet, for their configurations may come from anybody who
 * reaches the API. While only this machine does, its own addresses are the developer's, and the API to read is often one.
 */
export const localConfig = (bind: string, context: Readonly<Record<string, unknown>> = {}): StackConfig => {
  const config = readStackConfig({
    // Nothing expires on one machine, so versions of deleted objects would fill its disk.
    tableVersionDays: 0,
    ...(isLoopback(bind) && { extractorAllowedHosts: loopback }),
    ...projectContext(),
    ...context,
  })
  // DuckDB spills to a disk that is not bounded as a function's is.
  return { ...config, sizes: { ...config.sizes, singleMergeBytes: Number.MAX_SAFE_INTEGER } }
}
