import type { Route } from '../http/route.ts'
import {
  createConfigurationWorkspace,
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listConfigurationWorkspaces,
  listWorkspaces,
  loadWorkspace,
} from './workspaces.ts'

export const workspacesRoutes: readonly Route[] = [
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  loadWorkspace,
  listConfigurationWorkspaces,
  createConfigurationWorkspace,
]
