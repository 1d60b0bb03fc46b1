(** A plan that is checked leaves the graph's values in its results.

    [called_computes]   a call leaves what the kernel computes in the cells of its result
    [called_frame]      and what lies apart is as it was
    [good]              what lies in memory, of what the plan says lies there
    [pieces_good]       values that lie one after the other are the argument that they make
    [call_good]         a call that is checked keeps that, with its result
    [plan_means]        the theorem
    [graph_unfused]     where [Fma] is a product and a sum, the graph's values are those of its kernels as
                        they are, whether fused or not *)

From Coq Require Import Arith NArith List Bool String Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
From Vouch Require Import imp.Flat imp.Threads imp.ThreadsProof lower.OffsetProof certify.Elements.
From Vouch Require Import certify.Kernel certify.Certificate certify.Parse.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Fuse index.Versions build.Cells build.Nodes build.Calls.
Import ListNotations.

Lemma nth_map_seq {A : Type} (f : nat -> A) d n t : t < n -> nth t (map f (seq 0 n)) d = f t.
Proof.
  intros t_lt. rewrite (nth_indep _ d (f 0)) by (rewrite map_length, seq_length; exact t_lt).
  rewrite map_nth, seq_nth by exact t_lt. reflexivity.
Qed.

(** What the plan says of a call's arguments. *)
Definition arguments_lie {K : scalars} (shapes : list (list N)) (places : list place)
    (args : list (nat -> num K)) (M : memory K) : Prop :=
  List.length places = List.length shapes /\ List.length args = List.length shapes /\
  forall t X, nth_error shapes t = Some X -> forall a, a < N.to_nat (count X) ->
    cell M (nth t places (0, 0%N)) a = value_of args t a.

Lemma tensors_at_nth K shapes d t X : forall (args : list (nat -> num K)),
  nth_error shapes t = Some X -> t < List.length args ->
  nth t (tensors_at shapes args) d = tensor_at X (value_of args t).
Proof.
  revert shapes. induction t as [|t IHt]; intros [|Y shapes] [|c args] at_t t_lt; try discriminate at_t;
    simpl in t_lt; try lia.
  - injection at_t as at_t. subst Y. reflexivity.
  - apply IHt; [exact at_t | lia].
Qed.

Lemma input_tensors K (shapes : list (list N)) places result args (M : memory K) :
  arguments_lie shapes places args M ->
  let G := map (fun X => array_ty (numbered X)) shapes in
  alike shapes (map (tensor_of K) (input_values no_sizes K G (view (places ++ [result]) M)))
    (tensors_at shapes args).
Proof.
  intros (places_many & args_many & lie) G.
  assert (G_many : List.length G = List.length shapes) by apply map_length.
  split.
  - unfold tensors_at, input_values. rewrite !map_length, combine_length, seq_length. lia.
  - intros t X indices at_t inside.
    assert (t_lt : t < List.length shapes) by (apply nth_error_Some; rewrite at_t; discriminate).
    pose proof (flat_below X indices inside) as below_count.
    destruct (place_is_flat no_sizes X indices inside) as [_ same].
    unfold read, input_values. rewrite map_map, nth_map_seq by lia.
    unfold tensor_of, view.
    assert (type_t : nth t G TNum = array_ty (numbered X)).
    { apply nth_error_nth. unfold G. rewrite nth_error_map, at_t. reflexivity. }
    rewrite type_t, same, app_nth1 by lia. rewrite (lie t X at_t _ below_count).
    rewrite (tensors_at_nth K shapes _ t X args at_t) by lia. reflexivity.
Qed.

(** What is apart from a run of cells is apart from each of them. *)
Lemma apart_cell buffers p n q m a : apart buffers p n q m = true -> a < N.to_nat m ->
  apart buffers p n (fst q, N.of_nat (N.to_nat (snd q) + a)) 1 = true.
Proof.
  unfold apart. cbn [fst snd]. intros is_apart a_lt.
  destruct (nth_error buffers (fst p)) as [b|]; [|reflexivity].
  destruct (nth_error buffers (fst q)) as [c|]; [|reflexivity].
  rewrite !orb_true_iff, !N.leb_le in *. destruct is_apart as [[other|low]|high]; [auto| |]; [left; right|right]; nia.
Qed.

Lemma bytes_positive t : (0 < bytes t)%N.
Proof. destruct t; reflexivity. Qed.

(** A cell of the run is not. *)
Lemma own_cell buffers p n a : nth_error buffers (fst p) <> None -> a < N.to_nat n ->
  apart buffers p n (fst p, N.of_nat (N.to_nat (snd p) + a)) 1 = false.
Proof.
  unfold apart. cbn [fst snd]. intros there a_lt. destruct (nth_error buffers (fst p)) as [b|]; [|contradiction].
  pose proof (bytes_positive (bu_element b)) as some.
  rewrite Nat.eqb_refl. cbn [negb orb]. apply orb_false_iff. split; apply N.leb_gt; nia.
Qed.

(** ** What a text does, with versions or without *)

Lemma text_of_kernel {n k text} (w : certified_text n k text) : ComputesNode n k.
Proof.
  destruct w as [_ computes|v generic _ computes]; [exact computes|].
  rewrite <- generic. rewrite Forall_forall in computes. apply computes. left. reflexivity.
Qed.

Lemma text_runs_something {n k text} (w : certified_text n k text) : exists c, text_runs w c.
Proof.
  destruct w as [certified computes|v generic certified computes]; cbn [text_runs].
  - destruct (certified_node _ _ _ certified computes) as (f & parsed & _). exists (file_body f), f. auto.
  - destruct certified as (parsed & _ & _ & CHOSEN). destruct (CHOSEN (fun _ => false)) as (c & _ & is_c).
    exists (file_body (file_of c)), (vfile_of v), (fun _ => false). auto.
Qed.

Lemma text_runs_means {n k text} (w : certified_text n k text) c : text_runs w c ->
  facts_hold no_sizes (kernel_facts k) -> forall K junk ie m t, behaves no_sizes K junk c ie t ->
  forall indices, below no_sizes indices (st_extents (ik_output (nd_kernel n))) ->
  inb (ty_val no_sizes (kernel_output k)) (map Ix indices) ->
  run K t m (List.length (kernel_inputs k)) (place_of (ty_val no_sizes (kernel_output k)) (map Ix indices)) =
  node_val K (map (tensor_of K) (input_values no_sizes K (kernel_inputs k) m)) n indices.
Proof.
  destruct w as [certified computes|v generic certified computes]; cbn [text_runs].
  - intros (f & parsed & is_c) FACTS K junk ie m t RUNS. subst c.
    destruct (certified_node _ _ _ certified computes) as (f1 & parsed1 & MEANS).
    rewrite parsed in parsed1. injection parsed1 as same. subst f1.
    exact (MEANS FACTS K junk ie m t RUNS).
  - destruct certified as (parsed & _ & COMPUTES & CHOSEN). intros (f & yes & parsed1 & is_c).
    intros FACTS K junk ie m t RUNS indices INSIDE inside.
    rewrite parsed in parsed1. injection parsed1 as same. subst f.
    destruct (CHOSEN yes) as (s & s_in & is_s). rewrite is_c in is_s. injection is_s as is_s. subst c.
    rewrite Forall_forall in computes.
    destruct (computes_alike _ _ (computes s s_in)) as (facts_s & inputs_s & output_s).
    assert (generic_in : In k (sources v)) by (left; exact generic).
    destruct (computes_alike _ _ (computes k generic_in)) as (facts & inputs & output).
    destruct (COMPUTES s s_in) as [_ RIGHT].
    assert (FACTS_S : facts_hold no_sizes (kernel_facts s)) by (rewrite facts_s, <- facts; exact FACTS).
    destruct (RIGHT no_sizes FACTS_S K junk ie m t RUNS) as (result & _).
    assert (same_output : kernel_output k = kernel_output s) by (rewrite output, output_s; reflexivity).
    assert (same_inputs : kernel_inputs k = kernel_inputs s) by (rewrite inputs, inputs_s; reflexivity).
    rewrite same_output in inside. rewrite same_output, same_inputs, (result _ inside).
    apply node_value; [exact (computes s s_in) | exact FACTS_S | exact INSIDE].
Qed.

Lemma called_computes K buffers k sh places result args M M1 :
  called K buffers k places result M M1 -> shape_of (ck_index k) = Some sh ->
  arguments_lie (sh_inputs sh) places args M ->
  forall a, a < N.to_nat (count (sh_output sh)) ->
  cell M1 result a = node_cells K (ck_node k) args a.
Proof.
  intros (c & sh1 & junk & ie & t & is_run & shape1 & RUNS & after & _) shaped ARGS a a_lt.
  rewrite shaped in shape1. injection shape1 as shape1. subst sh1.
  destruct (shape_of_sound _ _ shaped) as (facts & _ & inputs & output & _).
  pose proof (text_runs_means _ _ is_run) as MEANS.
  destruct (computes_alike _ _ (text_of_kernel (ck_certified k))) as (same_facts & same_inputs & same_output).
  fold (ck_index k) in same_facts, same_inputs, same_output, MEANS.
  assert (FACTS : facts_hold no_sizes (kernel_facts (ck_source k))).
  { rewrite same_facts, facts. intros x y none. destruct none. }
  specialize (MEANS FACTS K junk ie (view (places ++ [result]) M) t RUNS).
  pose proof (unflat_within _ _ a_lt) as inside.
  destruct (place_is_flat no_sizes _ _ inside) as [inside_type same].
  rewrite same_output, output in MEANS.
  specialize (MEANS (unflat (sh_output sh) a)).
  rewrite same, flat_unflat in MEANS by exact a_lt.
  destruct ARGS as (places_many & args_many & lie).
  rewrite after by exact a_lt.
  replace (List.length places) with (List.length (kernel_inputs (ck_source k)))
    by (rewrite same_inputs, inputs, map_length; lia).
  rewrite MEANS; [|unfold below; rewrite numbered_val; exact inside | exact inside_type].
  unfold node_cells. fold (ck_index k). rewrite shaped, same_inputs, inputs.
  apply (node_val_within K sh); [exact shaped| |].
  - apply input_tensors. split; [exact places_many|]. split; assumption.
  - unfold input_values. rewrite !map_length, seq_length. reflexivity.
Qed.

Lemma called_frame K buffers k sh places result M M1 b a :
  called K buffers k places result M M1 -> shape_of (ck_index k) = Some sh ->
  apart buffers result (count (sh_output sh)) (b, N.of_nat a) 1 = true -> M1 b a = M b a.
Proof.
  intros (f & sh1 & junk & ie & t & _ & shape1 & _ & _ & kept) shaped outside.
  rewrite shaped in shape1. injection shape1 as shape1. subst sh1. exact (kept b a outside).
Qed.

(** ** What lies in memory *)

Definition good {K : scalars} (live : list region) (vals : list (nat -> num K)) (M : memory K) : Prop :=
  forall r, In r live ->
    N.to_nat (re_value r) < List.length vals /\
    forall a, a < N.to_nat (re_cells r) ->
      cell M (re_place r) a = value_of vals (N.to_nat (re_value r)) a.

Lemma lies_good K live (vals : list (nat -> num K)) M v p n : good live vals M -> lies live v p n = true ->
  forall a, a < N.to_nat n -> cell M p a = value_of vals (N.to_nat v) a.
Proof.
  intros GOOD found. unfold lies in found. apply existsb_exists in found as (r & r_in & same).
  apply andb_true_iff in same as [same cells_n]. apply andb_true_iff in same as [value_v place_p].
  apply N.eqb_eq in value_v. apply N.eqb_eq in cells_n. unfold place_eqb in place_p.
  apply andb_true_iff in place_p as [buffer_p offset_p].
  apply Nat.eqb_eq in buffer_p. apply N.eqb_eq in offset_p.
  destruct (GOOD r r_in) as [_ content]. subst v n.
  intros a a_lt. rewrite <- (content a a_lt). unfold cell. rewrite buffer_p, offset_p. reflexivity.
Qed.

Lemma pieces_good K live (vals : list (nat -> num K)) M : good live vals M ->
  forall pieces p n, pieces_lie live pieces p n = true ->
  forall a, a < N.to_nat n -> cell M p a = joined vals pieces a.
Proof.
  intros GOOD pieces.
  induction pieces as [|[v m] pieces IHpieces]; intros p n found a a_lt; simpl in found.
  - apply N.eqb_eq in found. subst n. simpl in a_lt. lia.
  - apply andb_true_iff in found as [found rest]. apply andb_true_iff in found as [m_le here].
    apply N.leb_le in m_le. simpl. destruct (Nat.ltb a (N.to_nat m)) eqn:a_here.
    + apply Nat.ltb_lt in a_here. exact (lies_good K live vals M v p m GOOD here a a_here).
    + apply Nat.ltb_ge in a_here. rewrite <- (IHpieces _ _ rest (a - N.to_nat m)) by lia.
      unfold cell. simpl. f_equal. lia.
Qed.

Lemma args_ok_lie K buffers live (vals : list (nat -> num K)) M result n :
  good live vals M -> forall values places shapes,
  args_ok buffers live result n values places shapes = true ->
  arguments_lie shapes places (map (joined vals) values) M.
Proof.
  intros GOOD values.
  induction values as [|pieces values IHvalues]; intros [|p places] [|X shapes] fits;
    try discriminate fits.
  - split; [reflexivity|]. split; [reflexivity|]. intros [|t] X at_t; discriminate at_t.
  - simpl in fits. apply andb_true_iff in fits as [fits rest].
    apply andb_true_iff in fits as [fits _]. apply andb_true_iff in fits as [here _].
    destruct (IHvalues places shapes rest) as (places_many & args_many & lie).
    split; [simpl; lia|]. split; [simpl in *; lia|].
    intros [|t] Y at_t a a_lt; simpl in at_t.
    + injection at_t as at_t. subst Y. exact (pieces_good K live vals M GOOD pieces p _ here a a_lt).
    + exact (lie t Y at_t a a_lt).
Qed.

Lemma value_of_before {K : scalars} (vals : list (nat -> num K)) x v : v < List.length vals ->
  value_of (vals ++ [x]) v = value_of vals v.
Proof. intros v_lt. unfold value_of. apply app_nth1, v_lt. Qed.

Lemma value_of_last {K : scalars} (vals : list (nat -> num K)) x :
  value_of (vals ++ [x]) (List.length vals) = x.
Proof. unfold value_of. rewrite app_nth2, Nat.sub_diag by lia. reflexivity. Qed.

Lemma call_good K buffers ks live live1 (vals : list (nat -> num K)) M M1 c k :
  good live vals M -> nth_error ks (ca_kernel c) = Some k ->
  call_live buffers (map shape_of (map ck_index ks)) live (N.of_nat (List.length vals)) c = Some live1 ->
  called K buffers k (ca_places c) (ca_result c) M M1 ->
  good live1 (vals ++ [node_cells K (ck_node k) (map (joined vals) (ca_values c))]) M1.
Proof.
  intros GOOD at_k checked CALLED. unfold call_live in checked.
  rewrite map_map, nth_error_map, at_k in checked. simpl in checked.
  destruct (shape_of (ck_index k)) as [sh|] eqn:shaped; [|discriminate checked].
  destruct (args_ok buffers live (ca_result c) (count (sh_output sh)) (ca_values c) (ca_places c)
              (sh_inputs sh)) eqn:fits; [|discriminate checked].
  destruct (writable buffers (ca_result c) (count (sh_output sh))); [|discriminate checked].
  injection checked as checked. subst live1.
  intros r [is_result|r_in]; (split; [rewrite app_length; simpl|]).
  - subst r. simpl. rewrite Nat2N.id. lia.
  - subst r. simpl. intros a a_lt. rewrite Nat2N.id, value_of_last.
    apply (called_computes K buffers k sh (ca_places c) (ca_result c) _ M M1); try assumption.
    exact (args_ok_lie K buffers live vals M _ _ GOOD _ _ _ fits).
  - apply filter_In in r_in as [r_in _]. destruct (GOOD r r_in) as [r_lt _]. lia.
  - apply filter_In in r_in as [r_in is_apart]. destruct (GOOD r r_in) as [r_lt content].
    intros a a_lt. rewrite value_of_before by exact r_lt. rewrite <- (content a a_lt).
    apply (called_frame K buffers k sh (ca_places c) (ca_result c) M M1); try assumption.
    apply (apart_cell _ _ _ _ _ _ is_apart), a_lt.
Qed.

Lemma calls_good K buffers ks calls : forall live live1 (vals : list (nat -> num K)) M M1,
  good live vals M ->
  calls_live buffers (map shape_of (map ck_index ks)) live (N.of_nat (List.length vals)) calls = Some live1 ->
  runs K buffers ks calls M M1 -> good live1 (graph_values K (map ck_node ks) vals calls) M1.
Proof.
  induction calls as [|c calls IHcalls]; intros live live1 vals M M2 GOOD checked RUNS.
  - simpl in *. injection checked as checked. subst live1. inversion RUNS. subst. exact GOOD.
  - simpl in checked.
    destruct (call_live buffers (map shape_of (map ck_index ks)) live (N.of_nat (List.length vals)) c)
      as [between|] eqn:first; [|discriminate checked].
    inversion RUNS as [|c1 k more M0 M1 M3 at_k CALLED REST]. subst. simpl. rewrite nth_error_map, at_k.
    apply (IHcalls between live1 _ M1 M2); [| |exact REST].
    + exact (call_good K buffers ks live between vals M M1 c k GOOD at_k first CALLED).
    + rewrite app_length. simpl. rewrite Nat.add_1_r, Nat2N.inj_succ. exact checked.
Qed.

(** ** Buffers that are only read *)

(** Nothing of its memory may be written. *)
Definition read_among (buffers : list buffer) (b : nat) : Prop :=
  forall c d, nth_error buffers b = Some c -> In d buffers -> bu_memory d = bu_memory c -> bu_written d = false.

Definition only_read (p : plan) (b : nat) : Prop := read_among (pl_buffers p) b.

Lemma call_keeps K buffers shapes live live1 next c k sh M M1 b a :
  call_live buffers shapes live next c = Some live1 ->
  nth_error shapes (ca_kernel c) = Some (Some sh) -> shape_of (ck_index k) = Some sh ->
  called K buffers k (ca_places c) (ca_result c) M M1 ->
  read_among buffers b -> M1 b a = M b a.
Proof.
  intros checked at_c shaped CALLED kept. unfold call_live in checked. rewrite at_c in checked.
  destruct (args_ok buffers live (ca_result c) (count (sh_output sh)) (ca_values c) (ca_places c)
              (sh_inputs sh)); [|discriminate checked].
  destruct (writable buffers (ca_result c) (count (sh_output sh))) eqn:may; [|discriminate checked].
  apply (called_frame K buffers k sh _ _ M M1 b a CALLED shaped).
  unfold apart. unfold writable in may. cbn [fst snd].
  destruct (nth_error buffers (fst (ca_result c))) as [written|] eqn:at_result; [|reflexivity].
  destruct (nth_error buffers b) as [other|] eqn:at_b; [|reflexivity].
  destruct (Nat.eqb (bu_memory written) (bu_memory other)) eqn:same; [|reflexivity].
  apply Nat.eqb_eq in same.
  rewrite (kept other written at_b (nth_error_In _ _ at_result) same) in may. discriminate may.
Qed.

Lemma calls_keep K buffers ks calls b : forall live live1 next (M M1 : memory K),
  calls_live buffers (map shape_of (map ck_index ks)) live next calls = Some live1 ->
  runs K buffers ks calls M M1 ->
  read_among buffers b -> forall a, M1 b a = M b a.
Proof.
  induction calls as [|c calls IHcalls]; intros live live1 next M M2 checked RUNS kept a.
  - inversion RUNS. reflexivity.
  - simpl in checked.
    destruct (call_live buffers (map shape_of (map ck_index ks)) live next c)
      as [between|] eqn:first; [|discriminate checked].
    inversion RUNS as [|c1 k more M0 M1 M3 at_k CALLED REST]. subst.
    rewrite (IHcalls between live1 (N.succ next) M1 M2 checked REST kept a).
    pose proof CALLED as (f & sh & junk & ie & t & _ & shaped & _).
    apply (call_keeps K buffers (map shape_of (map ck_index ks)) live between next c k sh M M1);
      try assumption.
    rewrite map_map, nth_error_map, at_k. simpl. rewrite shaped. reflexivity.
Qed.

(** ** There is a run *)

Lemma called_exists K buffers k sh places result (M : memory K) : shape_of (ck_index k) = Some sh ->
  writable buffers result (count (sh_output sh)) = true ->
  exists M1, called K buffers k places result M M1.
Proof.
  intros shaped may.
  assert (there : nth_error buffers (fst result) <> None).
  { unfold writable in may. destruct (nth_error buffers (fst result)); [discriminate | discriminate may]. }
  destruct (text_runs_something (ck_certified k)) as (c & is_run).
  destruct (behaves_exists no_sizes K (fun _ _ => cst K zero) c (fun _ => 0)) as [t RUNS].
  exists (fun b a =>
    if apart buffers result (count (sh_output sh)) (b, N.of_nat a) 1 then M b a
    else run K t (view (places ++ [result]) M) (List.length places) (a - N.to_nat (snd result))).
  exists c, sh, (fun _ _ => cst K zero), (fun _ => 0), t. split; [exact is_run|]. split; [exact shaped|].
  split; [exact RUNS|]. split.
  - intros a a_lt. unfold cell. rewrite own_cell by assumption. f_equal. lia.
  - intros b a is_apart. rewrite is_apart. reflexivity.
Qed.

Lemma runs_exist K buffers ks calls : forall live live1 next (M : memory K),
  calls_live buffers (map shape_of (map ck_index ks)) live next calls = Some live1 ->
  exists M1, runs K buffers ks calls M M1.
Proof.
  induction calls as [|c calls IHcalls]; intros live live1 next M checked.
  - exists M. constructor.
  - simpl in checked.
    destruct (call_live buffers (map shape_of (map ck_index ks)) live next c)
      as [between|] eqn:first; [|discriminate checked].
    unfold call_live in first. rewrite map_map, nth_error_map in first.
    destruct (nth_error ks (ca_kernel c)) as [k|] eqn:at_k; [|discriminate first]. simpl in first.
    destruct (shape_of (ck_index k)) as [sh|] eqn:shaped; [|discriminate first].
    destruct (args_ok buffers live (ca_result c) (count (sh_output sh)) (ca_values c) (ca_places c)
                (sh_inputs sh)); [|discriminate first].
    destruct (writable buffers (ca_result c) (count (sh_output sh))) eqn:may; [|discriminate first].
    destruct (called_exists K buffers k sh (ca_places c) (ca_result c) M shaped may) as [M1 CALLED].
    destruct (IHcalls between live1 (N.succ next) M1 checked) as [M2 RUNS].
    exists M2. exact (RunsCall K buffers ks c k calls M M1 M2 at_k CALLED RUNS).
Qed.

(** ** The theorem *)

Theorem plan_means ks p : plan_ok (map ck_index ks) p = true ->
  forall K (given : list (nat -> num K)) (M : memory K), List.length given = pl_values p ->
  (forall r, In r (pl_given p) -> forall a, a < N.to_nat (re_cells r) ->
     cell M (re_place r) a = value_of given (N.to_nat (re_value r)) a) ->
  (exists M1, runs K (pl_buffers p) ks (pl_calls p) M M1) /\
  forall M1, runs K (pl_buffers p) ks (pl_calls p) M M1 ->
  (forall r, In r (pl_results p) -> forall a, a < N.to_nat (re_cells r) ->
     cell M1 (re_place r) a = value_of (graph_values K (map ck_node ks) given (pl_calls p)) (N.to_nat (re_value r)) a) /\
  (forall b, only_read p b -> forall a, M1 b a = M b a).
Proof.
  unfold plan_ok. intros checked K given M many lie. apply andb_true_iff in checked as [known checked].
  destruct (calls_live (pl_buffers p) (map shape_of (map ck_index ks)) (pl_given p)
              (N.of_nat (pl_values p)) (pl_calls p)) as [live|] eqn:all_live; [|discriminate checked].
  split; [exact (runs_exist K _ ks _ _ _ _ M all_live)|].
  intros M1 RUNS. split.
  - intros r r_in. rewrite forallb_forall in checked. specialize (checked r r_in).
    apply (lies_good K live _ M1 (re_value r) (re_place r) (re_cells r)); [|exact checked].
    apply (calls_good K (pl_buffers p) ks (pl_calls p) (pl_given p) live given M M1); [| |exact RUNS].
    + intros q q_in. rewrite forallb_forall in known. specialize (known q q_in).
      apply N.ltb_lt in known. split; [lia|]. exact (lie q q_in).
    + rewrite many. exact all_live.
  - intros b kept a. exact (calls_keep K _ ks _ b _ _ _ M M1 all_live RUNS kept a).
Qed.

(** ** Numbers that are not rounded *)

Lemma same_value {K : scalars} (vals vals1 : list (nat -> num K)) : same_cells vals vals1 ->
  forall v a, value_of vals v a = value_of vals1 v a.
Proof.
  intros same. induction same as [|f g vals vals1 here rest IHsame]; intros [|v] a; try reflexivity.
  - apply here.
  - apply IHsame.
Qed.

Lemma same_joined {K : scalars} (vals vals1 : list (nat -> num K)) pieces : same_cells vals vals1 ->
  forall a, joined vals pieces a = joined vals1 pieces a.
Proof.
  intros same. induction pieces as [|[v n] more IHpieces]; intros a; [reflexivity|]. cbn [joined].
  rewrite (same_value vals vals1 same). destruct (Nat.ltb a (N.to_nat n)); [reflexivity | apply IHpieces].
Qed.

Theorem graph_unfused K nodes : unfused K -> forall calls (vals vals1 : list (nat -> num K)), same_cells vals vals1 ->
  same_cells (graph_values K nodes vals calls) (graph_values K (map unfuse nodes) vals1 calls).
Proof.
  intros LAW calls. induction calls as [|c calls IHcalls]; intros vals vals1 same; [exact same|].
  cbn [graph_values]. apply IHcalls, Forall2_app; [exact same|]. constructor; [|constructor].
  intros a. rewrite nth_error_map. destruct (nth_error nodes (ca_kernel c)) as [n|]; [|reflexivity]. cbn [option_map].
  apply node_unfused; [exact LAW|].
  induction (ca_values c) as [|pieces more IHmore]; constructor; [|exact IHmore].
  intros a1. apply same_joined, same.
Qed.
