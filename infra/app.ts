import { Annotations, App } from 'aws-cdk-lib'
import { bundleFunctions } from './bundle.ts'
import { withoutEffect } from './deployment-config.ts'
import { onThisMachine } from './on-this-machine.ts'
import { MillraceStack } from './stack.ts'
import { BUNDLES_RUN_ON, givenContext, readStackConfig } from './stack-config.ts'

const app = new App()
const config = readStackConfig(app.node)
// The one-machine cloud says `this-machine`: it runs the bundles inside the project, where npm put the bindings.
const runsOn = app.node.tryGetContext(BUNDLES_RUN_ON) === 'this-machine' ? 'this-machine' : 'lambda'
const bundles = await bundleFunctions({ runsOn })

const stack = new MillraceStack(app, 'Millrace', {
  bundles,
  config: runsOn === 'this-machine' ? onThisMachine(config) : config,
  description: 'Drop a file, get a table: storage service with import, export and extraction',
})
for (const name of withoutEffect(config.shape, givenContext(app.node)))
  Annotations.of(stack).addWarningV2(
    `millrace:${name}`,
    `"${name}" changes nothing in the shape "${config.shape}".`,
  )
app.synth()
