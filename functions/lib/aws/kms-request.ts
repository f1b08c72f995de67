import { createJsonRequest, type JsonRequest, type ServiceSettings } from './signed-json.ts'

/** Operations of KMS as its API Reference has them, bytes as base64. */
export const createKmsRequest = (settings?: ServiceSettings): JsonRequest =>
  createJsonRequest(
    { name: 'kms', target: 'TrentService', jsonVersion: '1.1', endpointName: 'KMS' },
    settings,
  )
