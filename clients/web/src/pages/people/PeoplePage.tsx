import { useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense, type ComponentType, type LazyExoticComponent } from "react";
import type { Search } from "@/search";
import { Page } from "@/shell";
import { SkeletonRows, Tabs } from "@/ui";
import { sections } from "./sections";

/** Users, roles, keys, service accounts and sessions; the open one is in ?tab=. */
export default function PeoplePage() {
  const { tab } = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const open = sections.find(({ id }) => id === tab) ?? sections[0];
  const Section: LazyExoticComponent<ComponentType> = open.content;
  return (
    <Page title="People" crumbs={[{ text: open.text }]}>
      <Tabs label="People" tabs={sections} value={open.id} onChange={(id) => void navigate({ to: "/people", search: { tab: id } })}>
        <Suspense fallback={<SkeletonRows />}>
          <Section />
        </Suspense>
      </Tabs>
    </Page>
  );
}
