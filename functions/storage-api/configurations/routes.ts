import type { Route } from '../http/route.ts'
import { copyConfiguration } from './copy-configuration.ts'
import { createConfiguration } from './create-configuration.ts'
import { deleteConfiguration, restoreConfiguration } from './delete-configuration.ts'
import {
  getConfiguration,
  getSchedule,
  getVersion,
  listConfigurations,
  listVersions,
} from './read-configurations.ts'
import { resetConfiguration } from './reset-configuration.ts'
import { runConfiguration } from './run-configuration.ts'
import {
  patchConfiguration,
  rollbackConfiguration,
  setConfigurationState,
  updateConfiguration,
} from './update-configuration.ts'

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
]
