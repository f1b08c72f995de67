import { App } from 'aws-cdk-lib'
import { bundleFunctions } from './bundle.ts'
import { MillraceStack } from './stack.ts'
import { BUNDLES_RUN_ON, readStackConfig } from './stack-config.ts'

const app = new App()
const config = readStackConfig(app.node)
// The one-machine cloud says `this-machine`: it runs the bundles inside the project, where npm put the bindings.
const runsOn = app.node.tryGetContext(BUNDLES_RUN_ON) === 'this-machine' ? 'this-machine' : 'lambda'
const bundles = await bundleFunctions({ runsOn })

new MillraceStack(app, 'Millrace', {
  bundles,
  config,
  description: 'Drop a file, get a table: storage service with import, export and extraction',
})
app.synth()
