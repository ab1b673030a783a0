/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mirror is compiled a second time with MIRROR_QUIET, for machines that nobody
 * watches: without its STEP points, and each of its functions under another name,
 * so that there is one source for both. types.h includes this first. A name that
 * is missing here fails at the link as defined twice.
 */
#ifndef PAGESET_CORE_QUIET_NAMES_H
#define PAGESET_CORE_QUIET_NAMES_H

#define alloc_pages quiet_alloc_pages
#define alloc_pages_bulk quiet_alloc_pages_bulk
#define calculate_min_free_kbytes quiet_calculate_min_free_kbytes
#define cpu_vm_stats_fold quiet_cpu_vm_stats_fold
#define decay_pcp_high quiet_decay_pcp_high
#define drain_pages_zone quiet_drain_pages_zone
#define drain_zone_pages quiet_drain_zone_pages
#define __free_one_page quiet___free_one_page
#define free_one_page quiet_free_one_page
#define free_pages quiet_free_pages
#define free_pcppages_bulk quiet_free_pcppages_bulk
#define free_unref_page quiet_free_unref_page
#define free_unref_page_list quiet_free_unref_page_list
#define mod_zone_page_state_percpu quiet_mod_zone_page_state_percpu
#define nr_pcp_alloc quiet_nr_pcp_alloc
#define nr_pcp_free quiet_nr_pcp_free
#define nr_pcp_high quiet_nr_pcp_high
#define pageset_update_all quiet_pageset_update_all
#define pcp_decayed_high quiet_pcp_decayed_high
#define pcp_free_high quiet_pcp_free_high
#define pcp_spin_trylock quiet_pcp_spin_trylock
#define refresh_cpu_vm_stats quiet_refresh_cpu_vm_stats
#define refresh_zone_stat_thresholds quiet_refresh_zone_stat_thresholds
#define reserve_highatomic_pageblock quiet_reserve_highatomic_pageblock
#define __rmqueue quiet___rmqueue
#define rmqueue_buddy quiet_rmqueue_buddy
#define rmqueue_bulk quiet_rmqueue_bulk
#define __rmqueue_pcplist quiet___rmqueue_pcplist
#define rmqueue_pcplist quiet_rmqueue_pcplist
#define __rmqueue_smallest quiet___rmqueue_smallest
#define setup_per_zone_lowmem_reserve quiet_setup_per_zone_lowmem_reserve
#define setup_per_zone_wmarks quiet_setup_per_zone_wmarks
#define zone_batchsize quiet_zone_batchsize
#define zone_highsize quiet_zone_highsize
#define zone_lock quiet_zone_lock
#define zone_pcp_disable quiet_zone_pcp_disable
#define zone_pcp_enable quiet_zone_pcp_enable
#define zone_pcp_update quiet_zone_pcp_update
#define zone_set_pageset_high_and_batch quiet_zone_set_pageset_high_and_batch
#define zone_unlock quiet_zone_unlock
#define zone_watermark_ok quiet_zone_watermark_ok

#endif
