import * as z from 'zod/mini'
import { type Connection, request } from '../lib/storage-client/request.ts'
import { createStorageClient, type StorageClient } from '../lib/storage-client/storage-client.ts'
import type { RunProgress } from '../lib/wire/run-body.ts'

/** The storage service as a run uses it. No other function says how far it is. */
export interface RunStorage extends StorageClient {
  /** Throws `UserError` where the service has no such run under way, or no runs at all. Absent: nobody is told. */
  noteProgress?(runId: string, progress: RunProgress): Promise<void>
}

export const createRunStorage = (connection: Connection & { runId?: string }): RunStorage => ({
  ...createStorageClient(connection),
  noteProgress: async (runId, progress) => {
    const path = `runs/${encodeURIComponent(runId)}/progress`
    await request(connection, { method: 'PUT', path, body: progress }, z.unknown())
  },
})
