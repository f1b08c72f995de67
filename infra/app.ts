import { Annotations, App } from 'aws-cdk-lib'
import { bundleFunctions } from './bundle.ts'
import { withoutEffect } from './deployment-config.ts'
import { MillraceStack } from './stack.ts'
import { givenContext, readStackConfig } from './stack-config.ts'

const app = new App()
const context = app.node.getAllContext()
const config = readStackConfig(context)
const stack = new MillraceStack(app, 'Millrace', {
  bundles: await bundleFunctions({ runsOn: 'lambda' }),
  config,
  description: 'Drop a file, get a table: storage service with import, export and extraction',
})
for (const name of withoutEffect(givenContext(context)))
  Annotations.of(stack).addWarningV2(
    `millrace:${name}`,
    `"${name}" changes nothing beside the storage service of "storageUrl".`,
  )
app.synth()
