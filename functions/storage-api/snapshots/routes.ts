import type { Route } from '../http/route.ts'
import { createSnapshot } from './create-snapshot.ts'
import { deleteSnapshot } from './delete-snapshot.ts'
import { getSnapshot } from './get-snapshot.ts'
import { listSnapshots } from './list-snapshots.ts'

export const snapshotsRoutes: readonly Route[] = [createSnapshot, listSnapshots, getSnapshot, deleteSnapshot]
