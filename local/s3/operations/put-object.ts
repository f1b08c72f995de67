import { toWriteObject } from '../auth/access.ts'
import { receiveBody } from '../body/receive-body.ts'
import { readDescription } from '../http/object-description.ts'
import type { Operation } from '../operation.ts'
import { checkBeforeWrite, commitContent, describeChecksum, writtenReply } from './commit-object.ts'

export const putObject: Operation = {
  name: 'PutObject',
  access: toWriteObject,
  run: async (request, context) => {
    const description = readDescription(request.headers)
    checkBeforeWrite(request, context)
    const content = await receiveBody(request, context.store.files)
    const version = await commitContent(request, context, {
      content,
      description: { ...description, ...describeChecksum(content) },
      reason: 'PutObject',
    })
    return writtenReply(version)
  },
}
