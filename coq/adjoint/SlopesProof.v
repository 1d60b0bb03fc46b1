(** The slopes that are declared are the derivatives of the operations, over the real numbers.

    [smooth1] [smooth2]   no corner and no pole; the error function is a parameter, of which its derivative
                          is asked; nothing is said of Floor, Ceil, Round and functions without slope
    [slope1_limit] [op2_limit]
    [still_truth]         comparisons of what differs do not change near a point *)

From Coq Require Import Reals ZArith List Bool Lia Lra.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.RealNumbers index.Kernel.
From Vouch Require Import adjoint.Rings adjoint.Slopes adjoint.Tangent.
Import ListNotations.
Local Open Scope R_scope.

Definition smooth1 (erf : R -> R) (o : uop) (x : R) : Prop :=
  match o with
  | Neg | Exp | Sin | Cos | Tanh | Atan | Sinh | Cosh => True
  | Abs => x <> 0
  | Sqrt | Log => 0 < x
  | Tan => cos x <> 0
  | Erf => derivable_pt_lim erf x (Rtrigo_def.exp (- (x * x)) / sqrt (atan 1))
  | Floor | Ceil | Round | Asin | Acos | Asinh | Acosh | Atanh
  | ExpLanes | TanhLanes | ErfLanes | Cast _ _ => False
  end.

Definition smooth2 (o : bop) (x y : R) : Prop :=
  match o with
  | Add | Sub | Mul => True
  | Div => y <> 0
  | Pow => 0 < x
  | Max | Min | Less | LessEq | Equal => x <> y
  end.

Lemma less_true x y : x < y -> less x y = true.
Proof. unfold less. now destruct (Rlt_dec x y). Qed.

Lemma less_false x y : ~ x < y -> less x y = false.
Proof. unfold less. now destruct (Rlt_dec x y). Qed.

(** Functions of a real number that are equal near a point, since they are continuous there. *)
Lemma near (f g : R -> R) x l l' : derivable_pt_lim f x l -> derivable_pt_lim g x l' -> f x < g x ->
  exists a b, a < x < b /\ forall z, a < z < b -> f z < g z.
Proof.
  intros df dg below.
  pose proof (derivable_pt_lim_minus _ _ _ _ _ dg df) as d.
  assert (continuous : continuity_pt (g - f)%F x) by (apply derivable_continuous_pt; eexists; exact d).
  destruct (continuous (g x - f x) ltac:(lra)) as (e & e_pos & close). exists (x - e), (x + e).
  split; [lra|]. intros z z_in. destruct (Req_dec z x) as [->|differs]; [assumption|].
  specialize (close z). unfold D_x, no_cond, dist in close. cbn in close. unfold R_dist, minus_fct in close.
  assert (Rabs (g z - f z - (g x - f x)) < g x - f x) as small.
  { apply close. split; [split; [exact I|congruence]|]. unfold Rabs. destruct (Rcase_abs (z - x)); lra. }
  unfold Rabs in small. destruct (Rcase_abs _); lra.
Qed.

(** [f] is [g] near x. *)
Definition near_eq (f g : R -> R) (x : R) : Prop :=
  exists a b, a < x < b /\ forall z, a < z < b -> f z = g z.

Lemma near_derivative f g x l : near_eq f g x -> derivable_pt_lim g x l -> derivable_pt_lim f x l.
Proof.
  intros (a & b & inside & same) limit.
  apply derivable_pt_lim_locally_ext with (f := g) (a := a) (b := b); [assumption| |assumption].
  intros z z_in. symmetry. now apply same.
Qed.

Lemma near_both (f f' g g' : R -> R) (h : R -> R -> R) x :
  near_eq f f' x -> near_eq g g' x -> near_eq (fun z => h (f z) (g z)) (fun z => h (f' z) (g' z)) x.
Proof.
  intros (a & b & inside & same) (c & d & inside' & same'). exists (Rmax a c), (Rmin b d). split.
  - split; [apply Rmax_lub_lt|apply Rmin_glb_lt]; tauto.
  - intros z [low high]. rewrite same, same'; [reflexivity| |].
    + pose proof (Rmax_r a c). pose proof (Rmin_r b d). lra.
    + pose proof (Rmax_l a c). pose proof (Rmin_l b d). lra.
Qed.

Lemma still_limit f x : near_eq f (fun _ => f x) x -> derivable_pt_lim f x 0.
Proof. intros still. apply (near_derivative _ _ _ _ still). apply derivable_pt_lim_const. Qed.

Lemma pow_limit f g x l l' : 0 < f x -> derivable_pt_lim f x l -> derivable_pt_lim g x l' ->
  derivable_pt_lim (fun z => Rpower (f z) (g z)) x
    (g x * Rpower (f x) (g x - 1) * l + Rpower (f x) (g x) * ln (f x) * l').
Proof.
  intros positive df dg. unfold Rpower.
  replace (g x * Rtrigo_def.exp ((g x - 1) * ln (f x)) * l + Rtrigo_def.exp (g x * ln (f x)) * ln (f x) * l')
    with (Rtrigo_def.exp (g x * ln (f x)) * (l' * ln (f x) + g x * (/ f x * l))).
  2: { replace ((g x - 1) * ln (f x)) with (g x * ln (f x) + - ln (f x)) by lra.
       rewrite exp_plus, exp_Ropp, exp_ln by assumption. field. lra. }
  apply (derivable_pt_lim_comp (fun z => g z * ln (f z)) Rtrigo_def.exp); [|apply derivable_pt_lim_exp].
  apply (derivable_pt_lim_mult g (fun z => ln (f z))); [assumption|].
  apply (derivable_pt_lim_comp f ln); [assumption|]. now apply derivable_pt_lim_ln.
Qed.

Lemma max_limit f g x l l' : f x <> g x -> derivable_pt_lim f x l -> derivable_pt_lim g x l' ->
  derivable_pt_lim (fun z => Rmax (f z) (g z)) x (if less (f x) (g x) then l' else l).
Proof.
  intros differs df dg. unfold less. destruct (Rlt_dec (f x) (g x)) as [f_lt|f_ge].
  - destruct (near f g x l l' df dg f_lt) as (a & b & inside & below).
    apply (near_derivative _ g); [|assumption]. exists a, b. split; [assumption|]. intros z z_in.
    specialize (below z z_in). apply Rmax_right. lra.
  - destruct (near g f x l' l dg df ltac:(lra)) as (a & b & inside & below).
    apply (near_derivative _ f); [|assumption]. exists a, b. split; [assumption|]. intros z z_in.
    specialize (below z z_in). apply Rmax_left. lra.
Qed.

Lemma min_limit f g x l l' : f x <> g x -> derivable_pt_lim f x l -> derivable_pt_lim g x l' ->
  derivable_pt_lim (fun z => Rmin (f z) (g z)) x (if less (f x) (g x) then l else l').
Proof.
  intros differs df dg. unfold less. destruct (Rlt_dec (f x) (g x)) as [f_lt|f_ge].
  - destruct (near f g x l l' df dg f_lt) as (a & b & inside & below).
    apply (near_derivative _ f); [|assumption]. exists a, b. split; [assumption|]. intros z z_in.
    specialize (below z z_in). apply Rmin_left. lra.
  - destruct (near g f x l' l dg df ltac:(lra)) as (a & b & inside & below).
    apply (near_derivative _ g); [|assumption]. exists a, b. split; [assumption|]. intros z z_in.
    specialize (below z z_in). apply Rmin_right. lra.
Qed.

Section SLOPES.
  Context (erf : R -> R).
  Notation K := (reals erf).

  Lemma slope1_limit o x : smooth1 erf o x ->
    exists d, slope1 o = Some d /\ derivable_pt_lim (op1 K o) x (slope_val K [x] (op1 K o x) d).
  Proof using Type.
    destruct o; cbn [smooth1]; intros ok; try contradiction; (eexists; split; [reflexivity|]);
      cbn [slope_val nth op1 op2 op3 cst reals zero one two powerRZ D0 D1];
      rewrite ?Rmult_1_r, ?Rmult_0_l.
    - apply derivable_pt_lim_opp, derivable_pt_lim_id.
    - destruct (Rlt_dec 0 x) as [positive|not_positive].
      + rewrite (less_true 0 x) by lra. unfold truth, equal. destruct (Req_EM_T 1 0); [lra|].
        now apply Rabs_derive_1.
      + rewrite (less_false 0 x), (less_true x 0) by lra. unfold truth, equal.
        destruct (Req_EM_T 0 0); [|lra]. destruct (Req_EM_T 1 0); [lra|].
        apply Rabs_derive_2. lra.
    - replace (1 / (2 * sqrt x)) with (/ (2 * sqrt x)) by (unfold Rdiv; lra). now apply derivable_pt_lim_sqrt.
    - apply derivable_pt_lim_exp.
    - replace (1 / x) with (/ x) by (unfold Rdiv; lra). now apply derivable_pt_lim_ln.
    - assert (positive : cosh x <> 0) by (unfold cosh; pose proof (exp_pos x); pose proof (exp_pos (- x)); lra).
      apply derivable_pt_lim_ext with (f := (sinh / cosh)%F); [reflexivity|].
      replace (1 - tanh x * tanh x) with ((cosh x * cosh x - sinh x * sinh x) / (cosh x)²)
        by (unfold tanh, Rsqr; field; assumption).
      apply derivable_pt_lim_div; [apply derivable_pt_lim_sinh|apply derivable_pt_lim_cosh|assumption].
    - exact ok.
    - apply derivable_pt_lim_sin.
    - apply derivable_pt_lim_cos.
    - apply derivable_pt_lim_ext with (f := (sin / cos)%F); [reflexivity|].
      replace (1 + tan x * tan x) with ((cos x * cos x - - sin x * sin x) / (cos x)²)
        by (unfold tan, Rsqr; field; assumption).
      apply derivable_pt_lim_div; [apply derivable_pt_lim_sin|apply derivable_pt_lim_cos|assumption].
    - replace (1 / (1 + x * x)) with (/ (1 + x ^ 2)) by (unfold Rdiv; rewrite Rmult_1_l; do 2 f_equal; ring).
      apply derivable_pt_lim_atan.
    - apply derivable_pt_lim_sinh.
    - apply derivable_pt_lim_cosh.
  Qed.

  Lemma still_truth o f g x l l' : is_comparison o = true -> f x <> g x ->
    derivable_pt_lim f x l -> derivable_pt_lim g x l' ->
    near_eq (fun z => op2 K o (f z) (g z)) (fun _ => op2 K o (f x) (g x)) x.
  Proof using Type.
    intros compares differs df dg. destruct (Rlt_dec (f x) (g x)) as [f_lt|f_ge].
    - destruct (near f g x l l' df dg f_lt) as (a & b & inside & below). exists a, b. split; [assumption|].
      intros z z_in. specialize (below z z_in). destruct o; try discriminate; cbn; unfold less, equal;
        repeat match goal with |- context [if ?c then _ else _] => destruct c end; cbn; try lra; reflexivity.
    - assert (g_lt : g x < f x) by lra.
      destruct (near g f x l' l dg df g_lt) as (a & b & inside & below). exists a, b. split; [assumption|].
      intros z z_in. specialize (below z z_in). destruct o; try discriminate; cbn; unfold less, equal;
        repeat match goal with |- context [if ?c then _ else _] => destruct c end; cbn; try lra; reflexivity.
  Qed.

  Lemma op2_limit o f g x l l' : smooth2 o (f x) (g x) ->
    derivable_pt_lim f x l -> derivable_pt_lim g x l' ->
    derivable_pt_lim (fun z => op2 K o (f z) (g z)) x (snd (op2 (dual K) o (f x, l) (g x, l'))).
  Proof using Type.
    intros ok df dg.
    assert (still : is_comparison o = true -> derivable_pt_lim (fun z => op2 K o (f z) (g z)) x 0).
    { intros compares. apply (still_limit (fun z => op2 K o (f z) (g z))).
      apply (still_truth o f g x l l'); try assumption. now destruct o. }
    assert (less_choice : forall a b : R, less a b = true -> less b a = false).
    { intros a b. unfold less. destruct (Rlt_dec a b), (Rlt_dec b a); try easy. lra. }
    destruct o; cbn [smooth2] in ok;
      cbn [snd fst op2 op3 dual slope2 slope_val nth op1 cst reals zero one powerRZ D0 D1];
      rewrite ?Rmult_1_r, ?Rmult_0_l, ?Rplus_0_l; try exact (still eq_refl).
    - replace (1 * l + 1 * l') with (l + l') by lra. now apply derivable_pt_lim_plus with (f1 := f) (f2 := g).
    - replace (1 * l + - (1) * l') with (l - l') by lra. now apply derivable_pt_lim_minus with (f1 := f) (f2 := g).
    - replace (g x * l + f x * l') with (l * g x + f x * l') by lra. now apply derivable_pt_lim_mult with (f1 := f) (f2 := g).
    - replace (1 / g x * l + - (f x / (g x * g x)) * l') with ((l * g x - l' * f x) / (g x)²)
        by (unfold Rsqr; field; assumption).
      now apply derivable_pt_lim_div with (f1 := f) (f2 := g).
    - pose proof (max_limit f g x l l' ok df dg) as limit. unfold less, equal, truth in *.
      destruct (Rlt_dec (f x) (g x)); cbn [negb]; destruct (Req_EM_T 0 0), (Req_EM_T 1 0); try lra.
      + now replace (0 * l + 1 * l') with l' by lra.
      + now replace (1 * l + 0 * l') with l by lra.
    - pose proof (min_limit f g x l l' ok df dg) as limit. unfold less, equal, truth in *.
      destruct (Rlt_dec (f x) (g x)), (Rlt_dec (g x) (f x)); cbn [negb];
        destruct (Req_EM_T 0 0), (Req_EM_T 1 0); try lra.
      + now replace (1 * l + 0 * l') with l by lra.
      + now replace (0 * l + 1 * l') with l' by lra.
    - now apply pow_limit.
  Qed.
End SLOPES.
