import type { ReactNode } from "react";
import { Tab, TabList, TabPanel, Tabs as Root } from "react-aria-components";
import { formatCount } from "@/format/number";

export interface TabChoice {
  id: string;
  text: string;
  /** A count behind the text. */
  count?: number | undefined;
}

export interface TabsProps {
  label: string;
  tabs: readonly TabChoice[];
  /** The open tab; pages keep it in the URL. */
  value: string;
  onChange: (id: string) => void;
  /** The content of the open tab. */
  children: ReactNode;
  className?: string;
}

/** Tabs over one panel; only the open one is rendered. */
export function Tabs({ label, tabs, value, onChange, children, className }: TabsProps) {
  return (
    <Root selectedKey={value} onSelectionChange={(key) => onChange(String(key))} className={className ?? "flex min-h-0 grow flex-col"}>
      <TabList aria-label={label} className="flex shrink-0 gap-1 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <Tab
            key={tab.id}
            id={tab.id}
            className="-mb-px flex h-9 cursor-default items-center gap-1.5 border-b-2 border-transparent px-2 font-medium whitespace-nowrap text-dim -outline-offset-2! data-hovered:text-text data-selected:border-accent data-selected:text-text"
          >
            {tab.text}
            {tab.count !== undefined && <span className="numbers rounded-chip bg-panel px-1.5 text-label text-dim">{formatCount(tab.count)}</span>}
          </Tab>
        ))}
      </TabList>
      <TabPanel id={value} className="flex min-h-0 grow flex-col pt-3 outline-none">{children}</TabPanel>
    </Root>
  );
}
