import type { Route } from '../http/route.ts'
import { copyConfiguration } from './copy-configuration.ts'
import { createConfiguration } from './create-configuration.ts'
import { deleteConfiguration } from './delete-configuration.ts'
import { diffVersions } from './diff-versions.ts'
import { getConfiguration } from './get-configuration.ts'
import { getSchedule } from './get-schedule.ts'
import { getVersion } from './get-version.ts'
import { listConfigurations } from './list-configurations.ts'
import { listVersions } from './list-versions.ts'
import { patchConfiguration } from './patch-configuration.ts'
import { resetConfiguration } from './reset-configuration.ts'
import { restoreConfiguration } from './restore-configuration.ts'
import { rollbackConfiguration } from './rollback-configuration.ts'
import { runConfiguration } from './run-configuration.ts'
import { setConfigurationState } from './set-state.ts'
import { updateConfiguration } from './update-configuration.ts'

export const configurationsRoutes: readonly Route[] = [
  listConfigurations,
  createConfiguration,
  getConfiguration,
  updateConfiguration,
  patchConfiguration,
  deleteConfiguration,
  restoreConfiguration,
  resetConfiguration,
  runConfiguration,
  getSchedule,
  setConfigurationState,
  listVersions,
  getVersion,
  rollbackConfiguration,
  copyConfiguration,
  diffVersions,
]
