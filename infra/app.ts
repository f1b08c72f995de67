import { Annotations, App } from 'aws-cdk-lib'
import { z } from 'zod'
import { bundleFunctions } from './bundle.ts'
import { withoutEffect } from './deployment-config.ts'
import { readKeptBundles } from './kept-bundles.ts'
import { MillraceStack } from './stack.ts'
import { givenContext, KEPT_BUNDLES, readStackConfig, type StackConfig } from './stack-config.ts'

/** The configuration without what only an account has: its keys, names and bounds of rights. */
export const onThisMachine = (config: StackConfig): StackConfig => ({
  ...config,
  dataKeyArn: undefined,
  permissionsBoundaryArn: undefined,
  apiDomainName: undefined,
  apiCertificateArn: undefined,
  apiHostedZoneId: undefined,
  apiOnlyAtDomain: false,
  // DuckDB spills to a disk that is not bounded as a function's is.
  singleMergeBytes: Number.MAX_SAFE_INTEGER,
})

const app = new App()
const config = readStackConfig(app.node)
// The one-machine cloud has bundles already: it runs them inside the project, where npm put the bindings.
const kept = z.string().optional().parse(app.node.tryGetContext(KEPT_BUNDLES))
const bundles = kept === undefined ? await bundleFunctions({ runsOn: 'lambda' }) : readKeptBundles(kept)

const stack = new MillraceStack(app, 'Millrace', {
  bundles,
  config: kept === undefined ? config : onThisMachine(config),
  description: 'Drop a file, get a table: storage service with import, export and extraction',
})
for (const name of withoutEffect(config.shape, givenContext(app.node)))
  Annotations.of(stack).addWarningV2(
    `millrace:${name}`,
    `"${name}" changes nothing in the shape "${config.shape}".`,
  )
app.synth()
