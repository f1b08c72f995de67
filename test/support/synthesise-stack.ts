import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import type { FunctionBundles } from '../../infra/bundle.ts'
import { MillraceStack } from '../../infra/stack.ts'
import { readStackConfig } from '../../infra/stack-config.ts'
import { functionNames } from '../../infra/system.ts'

/** The stack for a context of cdk.json, with empty bundles: what is wired, not what runs. */
export const makeStack = (context: Record<string, unknown> = {}, Stack = MillraceStack): MillraceStack => {
  // The validation of CDK itself only warns, and takes longer than all the rest.
  const app = new App({ context, builtinCloudFormationValidation: false })
  return new Stack(app, 'Millrace', {
    bundles: emptyBundles(),
    config: readStackConfig(app.node.getAllContext()),
  })
}

export const synthesiseStack = (context: Record<string, unknown> = {}): Template =>
  Template.fromStack(makeStack(context))

const NATIVE_FUNCTIONS: readonly string[] = ['storage-api', 'run-job']

const emptyBundles = (): FunctionBundles => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-empty-bundle-'))
  writeFileSync(join(folder, 'index.mjs'), '')
  const bundles = functionNames.map(name => [
    name,
    { name, folder, contentHash: `hash-of-${name}`, isNative: NATIVE_FUNCTIONS.includes(name) },
  ])
  return Object.fromEntries(bundles) as FunctionBundles // One entry for each name.
}
