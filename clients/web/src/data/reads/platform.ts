import type { MessageInitShape } from "@bufbuild/protobuf";
import { ApiKeyService } from "@contract/causeway/platform/v1/api_key_service_pb";
import { AuditService, type ListAuditRecordsRequestSchema } from "@contract/causeway/platform/v1/audit_service_pb";
import { IdentityProviderService } from "@contract/causeway/platform/v1/identity_provider_service_pb";
import { InfoService } from "@contract/causeway/platform/v1/info_service_pb";
import { KeyService } from "@contract/causeway/platform/v1/key_service_pb";
import { PartService } from "@contract/causeway/platform/v1/part_service_pb";
import { PermissionService } from "@contract/causeway/platform/v1/permission_service_pb";
import { PreferenceService } from "@contract/causeway/platform/v1/preference_service_pb";
import { RoleService } from "@contract/causeway/platform/v1/role_service_pb";
import { RuntimeService } from "@contract/causeway/platform/v1/runtime_service_pb";
import { ServiceAccountService } from "@contract/causeway/platform/v1/service_account_service_pb";
import { SessionService } from "@contract/causeway/platform/v1/session_service_pb";
import { UserService } from "@contract/causeway/platform/v1/user_service_pb";
import { type ReadOptions, useAllPages, usePages, useRead } from "../queries";

/** Which of the items of all pages belong together, in one array; undefined while they load. */
export function itemsOf<Page, Item>(pages: readonly Page[] | undefined, items: (page: Page) => readonly Item[]): Item[] | undefined {
  return pages?.flatMap((page) => [...items(page)]);
}

/** Who is signed in. */
export function useWhoAmI(options?: ReadOptions) {
  return useRead(SessionService.method.whoAmI, {}, options);
}

/** Version, clock and addresses of the platform. */
export function usePlatformInfo(options?: ReadOptions) {
  return useRead(InfoService.method.getPlatformInfo, {}, { waitsForSession: false, ...options });
}

/** All runtimes; read again every 15 s, because a silent one reports nothing. */
export function useRuntimes(options?: ReadOptions) {
  const read = useAllPages(RuntimeService.method.listRuntimes, {}, { interval: 15_000, ...options });
  return { ...read, runtimes: itemsOf(read.data, (page) => page.runtimes) };
}

/** One runtime. */
export function useRuntime(name: string, options?: ReadOptions) {
  return useRead(RuntimeService.method.getRuntime, { name }, options);
}

/** Unused join tokens. */
export function useJoinTokens(options?: ReadOptions) {
  const read = useAllPages(RuntimeService.method.listJoinTokens, {}, options);
  return { ...read, joinTokens: itemsOf(read.data, (page) => page.joinTokens) };
}

/** The announced parts of platform and runtimes. */
export function useParts(options?: ReadOptions) {
  const read = useAllPages(PartService.method.listParts, {}, options);
  return { ...read, parts: itemsOf(read.data, (page) => page.parts) };
}

/** All users. */
export function useUsers(options?: ReadOptions) {
  const read = useAllPages(UserService.method.listUsers, {}, options);
  return { ...read, users: itemsOf(read.data, (page) => page.users) };
}

/** All roles. */
export function useRoles(options?: ReadOptions) {
  const read = useAllPages(RoleService.method.listRoles, {}, options);
  return { ...read, roles: itemsOf(read.data, (page) => page.roles) };
}

/** The API keys that the caller may list. */
export function useApiKeys(options?: ReadOptions) {
  const read = useAllPages(ApiKeyService.method.listApiKeys, {}, options);
  return { ...read, apiKeys: itemsOf(read.data, (page) => page.apiKeys) };
}

/** All service accounts with their trust rules. */
export function useServiceAccounts(options?: ReadOptions) {
  const read = useAllPages(ServiceAccountService.method.listServiceAccounts, {}, options);
  return { ...read, serviceAccounts: itemsOf(read.data, (page) => page.serviceAccounts) };
}

/** Sessions of a user, or all that the caller may list. */
export function useSessions(user = "", options?: ReadOptions) {
  const read = useAllPages(SessionService.method.listSessions, { user }, options);
  return { ...read, sessions: itemsOf(read.data, (page) => page.sessions) };
}

/** The permissions that a user holds; the caller's without a name. */
export function usePermissions(user = "", options?: ReadOptions) {
  const read = useAllPages(PermissionService.method.listPermissions, { user }, options);
  return { ...read, permissions: itemsOf(read.data, (page) => page.permissions) };
}

/** Sign-in providers as configured. */
export function useIdentityProviders(options?: ReadOptions) {
  return useRead(IdentityProviderService.method.listIdentityProviders, {}, options);
}

/** The platform's signing keys. */
export function useSigningKeys(options?: ReadOptions) {
  return useRead(KeyService.method.listSigningKeys, {}, options);
}

/** Audit records, newest first. */
export function useAuditRecords(request: MessageInitShape<typeof ListAuditRecordsRequestSchema>, options?: ReadOptions) {
  return usePages(AuditService.method.listAuditRecords, request, options);
}

/** One audit record by its number. */
export function useAuditRecord(request: MessageInitShape<typeof AuditService.method.getAuditRecord.input>, options?: ReadOptions) {
  return useRead(AuditService.method.getAuditRecord, request, options);
}

/** The end of the audit chain, with its seal. */
export function useAuditHead(options?: ReadOptions) {
  return useRead(AuditService.method.getAuditHead, {}, options);
}

/** Saved views of the caller and those shared with the caller's roles. */
export function useSavedViews(options?: ReadOptions) {
  const read = useAllPages(PreferenceService.method.listSavedViews, {}, options);
  return { ...read, views: itemsOf(read.data, (page) => page.views) };
}
