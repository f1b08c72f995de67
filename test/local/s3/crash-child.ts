import { appendFileSync } from 'node:fs'
import { startEmbeddedS3 } from '#local/s3/server.ts'
import { testRoot } from '../../support/embedded-s3.ts'

// The server of crash.test.ts, in a process of its own that can be killed. Delivered events go to the given file.
const [dataDir = '', eventsFile = ''] = process.argv.slice(2)
const s3 = await startEmbeddedS3({
  dataDir,
  root: testRoot,
  onObjectCreated: async event => appendFileSync(eventsFile, `${event.detail.object.key}\n`),
})
await s3.createBucket('box', { eventBridge: true })
process.stdout.write(`${s3.endpoint}\n`)
