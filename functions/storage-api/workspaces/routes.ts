import type { Route } from '../http/route.ts'
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  loadWorkspace,
} from './workspaces.ts'

export const workspacesRoutes: readonly Route[] = [
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  loadWorkspace,
]
